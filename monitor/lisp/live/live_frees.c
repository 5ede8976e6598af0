/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/live/live_frees.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "image/intern_table.h"
#include "image/spin_lock.h"
#include "lisp/live/live_table.h"

static struct {
  struct spin_lock lock; /* of all that follows, and of the clock */
  struct intern_table addresses;
  struct arena clocks; /* uint64_t by their numbers */
  uint64_t lost;
} frees;

static uint64_t *
clock_at(uint32_t number)
{
  return (uint64_t *)frees.clocks.base + number;
}

/* False: there is no memory.  Each address has a clock. */
static bool
add(uint64_t address, uint64_t clock)
{
  const uint32_t next = frees.addresses.count + 1;
  uint32_t number;
  if (arena_record(&frees.clocks, next, sizeof clock) == NULL ||
      (number = intern_key(&frees.addresses, address)) == 0)
    return false;
  *clock_at(number) = clock;
  return true;
}

void
live_freed(void *memory)
{
  const int saved = errno;
  if (memory == NULL)
    return;
  spin_lock(&frees.lock);
  __atomic_store_n(&live_clock, live_clock + 1, __ATOMIC_SEQ_CST);
  frees.lost += !add((uint64_t)(uintptr_t)memory >> 4, live_clock);
  spin_unlock(&frees.lock);
  errno = saved;
}

void
live_frees_begin(void)
{
  spin_lock(&frees.lock);
}

void
live_frees_end(void)
{
  spin_unlock(&frees.lock);
}

uint64_t
live_frees_clock(uint64_t address)
{
  const uint32_t number = frees.addresses.count == 0
                              ? 0
                              : intern_find_key(&frees.addresses, address);
  return number == 0 ? 0 : *clock_at(number);
}

/* A table in which some stay keeps the addresses of the others until there is
 * a collection in which nothing is freed. */
void
live_frees_forget(uint64_t clock)
{
  if (live_clock <= clock) {
    intern_table_release(&frees.addresses);
    arena_release(&frees.clocks);
  }
  for (uint32_t i = 1; i <= frees.addresses.count; i++)
    if (*clock_at(i) <= clock)
      *clock_at(i) = 0;
}

uint64_t
live_frees_lost(void)
{
  return frees.lost;
}

void
live_frees_forget_lost(void)
{
  spin_lock(&frees.lock);
  frees.lost = 0;
  spin_unlock(&frees.lock);
}

void
live_frees_forked(void)
{
  memset(&frees.lock, 0, sizeof frees.lock);
}
