/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/live/live_frees.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "image/arena.h"
#include "image/record_index.h"
#include "image/spin_lock.h"
#include "lisp/live/live_table.h"

struct freed {
  uint64_t address, clock;
};

struct freed_table { /* all zero: empty */
  struct arena arena; /* struct freed by number, from 1 on */
  uint32_t count;     /* the last number */
  struct record_index index;
};

static struct spin_lock lock; /* of all that follows, and of the clock */
static struct freed_table table;
static uint64_t lost;

static struct freed *
freed_at(const struct freed_table *t, uint32_t number)
{
  return (struct freed *)t->arena.base + number;
}

static uint32_t
hash_of(uint64_t address)
{
  return (uint32_t)(address * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* NULL: it was not freed. */
static struct freed *
find(const struct freed_table *t, uint64_t address)
{
  const uint32_t hash = hash_of(address);
  if (t->count == 0)
    return NULL;
  for (struct index_slot *s = record_index_begin(&t->index, hash);
       s->number != 0; s = record_index_next(&t->index, s))
    if (s->hash == hash && freed_at(t, s->number)->address == address)
      return freed_at(t, s->number);
  return NULL;
}

/* False: there is no memory. */
static bool
put(struct freed_table *t, const struct freed *f)
{
  struct freed *const known = find(t, f->address), *new;
  const uint32_t hash = hash_of(f->address);
  if (known != NULL) {
    *known = *f;
    return true;
  }
  if (!record_index_reach(&t->index) ||
      (new = arena_record(&t->arena, t->count + (size_t)1, sizeof *f)) ==
          NULL)
    return false;
  *new = *f;
  record_index_add(&t->index, hash, ++t->count);
  return true;
}

static void
release(struct freed_table *t)
{
  arena_release(&t->arena);
  arena_release(&t->index.arena);
  *t = (struct freed_table){.count = 0};
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
  lost += !put(&table, &f);
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
  const struct freed *const f = find(&table, address);
  return f == NULL ? 0 : f->clock;
}

/* Without memory for a table of the others, all stay. */
void
live_frees_forget(uint64_t clock)
{
  struct freed_table left = {.count = 0};
  for (uint32_t i = 1; i <= table.count && live_clock > clock; i++)
    if (freed_at(&table, i)->clock > clock &&
        !put(&left, freed_at(&table, i))) {
      release(&left);
      return;
    }
  release(&table);
  table = left;
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
