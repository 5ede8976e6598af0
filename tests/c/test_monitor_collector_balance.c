/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_collector_balance.c -- what the collector says it gave out,
 * asked of a collector whose state we choose.
 *
 * The functions of libgc that collector_balance.c calls are defined here, and
 * so these are the ones that are called.  They do what GC_generic_malloc_many
 * of libgc 8.2 does: a list of small objects comes from a page that waits to
 * be swept, else from the common free list, else from a new page.  A list
 * from a swept page is not counted at once but with the next page that is
 * swept; and a page in which nothing is free is swept in vain.
 */

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_tiny_fl.h>

#include "testing.h"

#include "lisp/balance/collector_balance.h"

enum { PAGE = 4096, PAGES_MAX = 8 };

static struct collector {
  struct {
    int pages[PAGES_MAX]; /* objects that are free in each; 0: it is full */
    size_t page_count, next;
    size_t common;        /* objects on the common free list */
  } sizes[GC_TINY_FREELISTS];
  uint64_t counted;       /* what it says that it gave out */
  uint64_t late;          /* swept, given out and not counted yet */
  uint64_t given;         /* the truth */
  int64_t found;
  int parallel;
  unsigned collections;
} collector;

static size_t
objects_of_page(size_t granules)
{
  return PAGE / (granules * GC_GRANULE_BYTES);
}

/* Objects of a list, and whether they are counted at once. */
static size_t
next_list(size_t g, bool *swept)
{
  const size_t size = g * GC_GRANULE_BYTES;
  size_t n;
  *swept = false;
  while (collector.sizes[g].next < collector.sizes[g].page_count) {
    n = (size_t)collector.sizes[g].pages[collector.sizes[g].next++];
    collector.counted += collector.late;
    collector.late = 0;
    if (n > 0) {
      *swept = true;
      return n;
    }
  }
  n = collector.sizes[g].common;
  if (n > 0) {
    const size_t most = (PAGE + size - 1) / size;
    n = n > most ? most : n;
    collector.sizes[g].common -= n;
    return n;
  }
  return objects_of_page(g);
}

void *
GC_malloc_many(size_t size)
{
  static void *memory[2 * PAGE / sizeof(void *)];
  const size_t words = size / sizeof(void *);
  bool swept;
  const size_t n = next_list(size / GC_GRANULE_BYTES, &swept);
  const uint64_t bytes = n * size;
  collector.given += bytes;
  if (swept)
    collector.found += (int64_t)bytes;
  if (swept && collector.parallel != 0)
    collector.late = bytes;
  else
    collector.counted += bytes;
  for (size_t i = 0; i < n; i++)
    memory[i * words] = i + 1 < n ? &memory[(i + 1) * words] : NULL;
  return memory;
}

size_t
GC_get_prof_stats_unsafe(struct GC_prof_stats_s *stats, size_t size)
{
  memset(stats, 0, size);
  stats->allocd_bytes_before_gc = collector.counted / 3;
  stats->bytes_allocd_since_gc = collector.counted - collector.counted / 3;
  stats->bytes_reclaimed_since_gc =
      collector.found > 0 ? (GC_word)collector.found : 0;
  return size;
}

size_t
GC_get_prof_stats(struct GC_prof_stats_s *stats, size_t size)
{
  return GC_get_prof_stats_unsafe(stats, size);
}

size_t
GC_get_total_bytes(void)
{
  return collector.counted;
}

/* What 1024 bytes are rounded to; it changes while a program runs. */
static size_t kilobyte = 1344;

size_t
GC_get_size_map_at(int bytes)
{
  return bytes == 1024 ? kilobyte : 0;
}

GC_word
GC_get_gc_no(void)
{
  return collector.collections;
}

int
GC_get_parallel(void)
{
  return collector.parallel;
}

/* Leaves a page of each third size with one object in use. */
void
GC_gcollect(void)
{
  collector.collections++;
  collector.found = PAGE;
  for (size_t g = 1; g < GC_TINY_FREELISTS; g++) {
    collector.sizes[g].page_count = g % 3 == 0;
    collector.sizes[g].next = 0;
    collector.sizes[g].pages[0] = (int)objects_of_page(g) - 1;
  }
}

static int64_t
no_lists(void)
{
  return 0;
}

/* What the balance took itself is none of ours. */
static uint64_t own_given;

static struct collector_balance
balance(void)
{
  const uint64_t before = collector.given;
  const struct collector_balance b = collector_balance(no_lists);
  own_given += collector.given - before;
  return b;
}

static void
check(void)
{
  const struct collector_balance b = balance();
  assert_int_equal(b.doubts, BALANCE_TABLES); /* which are not looked for */
  assert_int_equal(b.bytes, collector.given - own_given);
}

/* A collector that has collected, gave out `given' bytes, and counts `late'
 * of them with the next page that it sweeps. */
static void
set_up(uint64_t given, uint64_t late)
{
  memset(&collector, 0, sizeof collector);
  collector.parallel = 1;
  collector.collections = 1;
  collector.found = 100000;
  collector.given = given + own_given;
  collector.counted = collector.given - late;
  collector.late = late;
}

static void
add_page(size_t granules, int free_objects)
{
  collector.sizes[granules]
      .pages[collector.sizes[granules].page_count++] = free_objects;
}

/* What is asked of the collector: another collection only where a page waits
 * or has to be made to wait. */
TEST(single_states)
{
  static const struct {
    int parallel;
    unsigned before; /* collections */
    uint64_t late;
    size_t page; /* granules of objects on a page that waits; 0: none does */
    unsigned after;
  } states[] = {
      {1, 0, 0, 0, 0},     /* nothing was ever swept */
      {0, 1, 0, 20, 1},    /* one thread marks */
      {1, 1, 1600, 16, 1}, /* a page waits */
      {1, 1, 1600, 0, 2}   /* no page waits */
  };
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    set_up(1000000, states[i].late);
    collector.parallel = states[i].parallel;
    collector.collections = states[i].before;
    if (states[i].page != 0)
      add_page(states[i].page, 3);
    check();
    assert_int_equal(collector.collections, states[i].after);
  }
}

TEST(any_state)
{
  srand(1);
  for (int round = 0; round < 20000; round++) {
    set_up((uint64_t)(10000 + rand() % 1000000),
           (uint64_t)(rand() % 256) * GC_GRANULE_BYTES);
    collector.found = rand() % 8000 - 4000;
    for (size_t g = 1; g < GC_TINY_FREELISTS; g++) {
      const int pages = rand() % 6 - 3;
      for (int i = 0; i < pages; i++)
        add_page(g, rand() % 3 == 0
                        ? 0
                        : 1 + rand() % ((int)objects_of_page(g) - 1));
      collector.sizes[g].common =
          rand() % 3 != 0 ? 0 : (size_t)(rand() % 1000);
    }
    check();
    check(); /* again, with what is late by itself */
  }
}

/* The tables made between two balances count, with today's rounding; a table
 * that was there before counts no more, however it was rounded. */
TEST(tables_grow)
{
  struct collector_balance sum = {0};
  const struct collector_balance small = {.bytes = 100,
                                          .table_bits = {0, 5, 9}},
                                 large = {.bytes = 5000,
                                          .table_bits = {2, 7, 9}};
  collector_balance_add(&sum, &small, &large);
  assert_int_equal(sum.bytes, 4900);
  assert_int_equal(sum.table_bytes, 16 + 32 + 512 + 1344);
  kilobyte = 1024;
  collector_balance_add(&sum, &large, &large);
  assert_int_equal(sum.table_bytes, 16 + 32 + 512 + 1344);
  collector_balance_add(&sum, &small, &large);
  assert_int_equal(sum.table_bytes, 2 * (16 + 32 + 512) + 1344 + 1024);
  assert_int_equal(sum.doubts, 0);
  const struct collector_balance unknown = {.doubts = BALANCE_TABLES};
  collector_balance_add(&sum, &large, &unknown);
  assert_int_equal(sum.table_bytes, 2 * (16 + 32 + 512) + 1344 + 1024);
  assert_int_equal(sum.doubts, BALANCE_TABLES);
}

RUN_TESTS(NULL, NULL)
