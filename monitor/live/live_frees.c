/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_frees.c -- open addressing with linear probing, at most half full.
 */
#include "live/live_frees.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "live/live_table.h"
#include "tree/arena.h"
#include "tree/spin_lock.h"

enum { FIRST_BITS = 10 };

struct freed {
  uint64_t address; /* 0: none */
  uint64_t clock;
};

struct freed_table { /* all zero: empty */
  struct arena arena;
  size_t count;
  unsigned bits; /* of a place; 0: there are none */
};

static struct spin_lock lock; /* of all that follows, and of the clock */
static struct freed_table table;
static uint64_t lost;

static struct freed *
place_of(const struct freed_table *t, uint64_t address)
{
  struct freed *const places = t->arena.base;
  size_t i = (address * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - t->bits);
  while (places[i].address != 0 && places[i].address != address)
    i = (i + 1) & (((size_t)1 << t->bits) - 1);
  return &places[i];
}

static void
put(struct freed_table *t, const struct freed *f)
{
  struct freed *const place = place_of(t, f->address);
  t->count += place->address == 0;
  *place = *f;
}

/* Those after `clock', in 2^bits places.  False: there is no memory, and
 * nothing has changed. */
static bool
rebuild(unsigned bits, uint64_t clock)
{
  struct freed_table made = {.bits = bits};
  const struct freed *const places = table.arena.base;
  const size_t n = table.bits == 0 ? 0 : (size_t)1 << table.bits;
  if (arena_reserve(&made.arena, sizeof *places << bits) != 0)
    return false;
  for (size_t i = 0; i < n; i++)
    if (places[i].address != 0 && places[i].clock > clock)
      put(&made, &places[i]);
  arena_release(&table.arena);
  table = made;
  return true;
}

void
live_freed(void *memory)
{
  struct freed f = {.address = (uint64_t)(uintptr_t)memory >> 4};
  const int saved = errno;
  if (memory == NULL)
    return;
  spin_lock(&lock);
  f.clock = live_clock + 1;
  __atomic_store_n(&live_clock, f.clock, __ATOMIC_SEQ_CST);
  if (table.bits == 0)
    rebuild(FIRST_BITS, 0);
  else if (table.count >= (size_t)1 << (table.bits - 1))
    rebuild(table.bits + 1, 0);
  if (table.bits != 0 && table.count + 1 < (size_t)1 << table.bits)
    put(&table, &f);
  else
    lost++;
  spin_unlock(&lock);
  errno = saved;
}

void
live_frees_begin(void)
{
  spin_lock(&lock);
}

void
live_frees_end(void)
{
  spin_unlock(&lock);
}

bool
live_frees_any(void)
{
  return table.count != 0;
}

uint64_t
live_frees_clock(uint64_t address)
{
  return table.count == 0 ? 0 : place_of(&table, address)->clock;
}

void
live_frees_forget(uint64_t clock)
{
  if (live_clock <= clock) {
    arena_release(&table.arena);
    memset(&table, 0, sizeof table);
  } else if (table.bits != 0) {
    rebuild(table.bits, clock);
  }
}

uint64_t
live_frees_lost(void)
{
  return lost;
}

void
live_frees_forget_lost(void)
{
  spin_lock(&lock);
  lost = 0;
  spin_unlock(&lock);
}

void
live_frees_forked(void)
{
  memset(&lock, 0, sizeof lock);
}
