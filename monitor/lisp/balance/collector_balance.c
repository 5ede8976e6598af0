/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_balance.c -- see the header for the model.
 *
 * Where the lists are.  libgc has one thread-local variable: the pointer to
 * void *lists[kind][granules], first pointer-free then ordinary objects.
 * libgc is loaded when the program starts, so that variable is at the same
 * distance from the thread pointer in every thread, and any thread can read
 * it.  Requests of no bytes have the list of 0 granules, whose objects are of
 * one.  Until about a page's worth of a size has been asked for, its element
 * is a count, below the size of a page, and not a list.
 *
 * Where the tables are.  libgc keeps what it knows of the three of them side
 * by side in its data.  That is looked for, since libgc has no name for it,
 * and checked each time. */
#include "lisp/balance/collector_balance.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "arch/arch.h"
#include "lisp/balance/requests.h"

enum {
  LISTS = 2 * GC_TINY_FREELISTS,
  PAGE = 4096,
  LIST_MAX = PAGE / GC_GRANULE_BYTES * 64, /* objects; more is a loop */
  STATIC_TLS_MAX = 1 << 20,
  TABLE_MAX_BITS = 32
};

static struct {
  uint64_t own_bytes; /* that were allocated here */
  bool has_lists;
  intptr_t lists;       /* libgc's variable, from the thread pointer on */
  uintptr_t start, end; /* its data */
  const struct table *tables; /* there; NULL: they are not known yet */
} libgc;

static int
find_libgc(struct dl_phdr_info *info, size_t size, void *data)
{
  size_t tls_bytes = 0;
  (void)size;
  (void)data;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "/libgc.so") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_TLS)
      tls_bytes = p->p_memsz;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) != 0) {
      libgc.start = info->dlpi_addr + p->p_vaddr;
      libgc.end = libgc.start + p->p_memsz;
    }
  }
  if (tls_bytes == sizeof(void *) && info->dlpi_tls_data != NULL) {
    libgc.lists = (intptr_t)((uintptr_t)info->dlpi_tls_data -
                             arch_thread_pointer(pthread_self()));
    /* A library that is loaded later has its variables elsewhere. */
    libgc.has_lists =
        libgc.lists > -STATIC_TLS_MAX && libgc.lists < STATIC_TLS_MAX;
  }
  return 1;
}

void
collector_balance_open(void)
{
  dl_iterate_phdr(find_libgc, NULL);
}

/* ---- free lists ---- */

/* Returns the lists of a thread, and sets *record_bytes to the bytes of the
 * record that they are part of; NULL when there are none. */
static void **
lists_of(pthread_t thread, uint64_t *record_bytes)
{
  void **const lists =
      libgc.has_lists
          ? *(void ***)(arch_thread_pointer(thread) + (uintptr_t)libgc.lists)
          : NULL;
  const uintptr_t at = (uintptr_t)lists;
  const size_t bytes = LISTS * sizeof *lists;
  void *record;
  *record_bytes = 0;
  if (at == 0 || at % sizeof(void *) != 0)
    return NULL;
  if (at >= libgc.start && at + bytes <= libgc.end)
    return lists;
  if (!GC_is_heap_ptr(lists) || (record = GC_base(lists)) == NULL ||
      at - (uintptr_t)record + bytes > GC_size(record))
    return NULL;
  *record_bytes = GC_size(record);
  return lists;
}

uint64_t
collector_record_bytes(pthread_t thread)
{
  uint64_t bytes;
  lists_of(thread, &bytes);
  return bytes;
}

/* Returns the bytes of a list of objects of `size'; -1 if it is not such a
 * list.  Only objects are read: before a fork, a thread may be taking from
 * the list. */
static int64_t
list_bytes(void *object, size_t size)
{
  int64_t bytes = 0;
  size_t steps = 0;
  if ((uintptr_t)object < PAGE)
    return 0;
  for (; object != NULL; object = *(void **)object) {
    if (GC_base(object) != object || GC_size(object) != size ||
        ++steps > LIST_MAX)
      return -1;
    bytes += (int64_t)size;
  }
  return bytes;
}

int64_t
collector_list_bytes(pthread_t thread)
{
  int64_t bytes = 0;
  uint64_t record_bytes;
  void **const lists = lists_of(thread, &record_bytes);
  if (lists == NULL)
    return -1;
  for (size_t i = 0; i < LISTS; i++) {
    const size_t granules = i % GC_TINY_FREELISTS;
    const int64_t more = list_bytes(lists[i], (granules == 0 ? 1 : granules) *
                                                  GC_GRANULE_BYTES);
    if (more < 0)
      return -1;
    bytes += more;
  }
  return bytes;
}

/* ---- tables ---- */

/* As libgc has them: of long and of short weak links, and of finalizers. */
enum { FINALIZERS = 2 };

struct table {
  void *places;   /* NULL: there are none yet */
  uintptr_t used; /* how many, or finalizers that are to be run */
  unsigned bits;  /* of the number of places */
};

static size_t
table_bytes(unsigned bits)
{
  return sizeof(void *) << bits;
}

/* Returns whether it can be a table, which grows when there is one entry more
 * than places. */
static bool
is_table(const struct table *t, bool finalizers)
{
  if (t->places == NULL)
    return !finalizers && t->used == 0 && t->bits == 0;
  return t->bits >= 1 && t->bits <= TABLE_MAX_BITS &&
         GC_is_heap_ptr(t->places) && GC_base(t->places) == t->places &&
         GC_size(t->places) >= table_bytes(t->bits) &&
         GC_size(t->places) < table_bytes(t->bits + 1) &&
         (finalizers ? t->used == 0 || GC_is_heap_ptr((const void *)t->used)
                     : t->used <= ((uintptr_t)1 << t->bits) + 1);
}

static bool
are_tables(const struct table *t)
{
  return is_table(&t[FINALIZERS], true) && is_table(&t[0], false) &&
         is_table(&t[1], false);
}

static const struct table *
find_tables(void)
{
  if (libgc.tables != NULL)
    return are_tables(libgc.tables) ? libgc.tables : NULL;
  for (uintptr_t at = libgc.start;
       at + BALANCE_TABLE_COUNT * sizeof(struct table) <= libgc.end;
       at += sizeof(void *))
    if (are_tables((const struct table *)at))
      return libgc.tables = (const struct table *)at;
  return NULL;
}

/* Reads the sizes of the tables into B, or adds a doubt.  Called with the
 * collector's lock held. */
static void
read_table_bits(struct collector_balance *b)
{
  const struct table *const tables = find_tables();
  if (tables == NULL)
    b->doubts |= BALANCE_TABLES;
  else
    for (size_t i = 0; i < BALANCE_TABLE_COUNT; i++)
      b->table_bits[i] = tables[i].bits;
}

void
collector_balance_add(struct collector_balance *sum,
                      const struct collector_balance *from,
                      const struct collector_balance *to)
{
  sum->bytes += to->bytes - from->bytes;
  sum->doubts |= to->doubts | from->doubts;
  if (((to->doubts | from->doubts) & BALANCE_TABLES) != 0)
    return;
  for (size_t i = 0; i < BALANCE_TABLE_COUNT; i++)
    for (unsigned bits = to->table_bits[i]; bits > from->table_bits[i]; bits--)
      sum->table_bytes += collector_rounded_bytes(table_bytes(bits));
}

/* ---- the sum ---- */

/* Takes a list of objects from the collector.  Returns their bytes. */
static uint64_t
take_list(size_t granules)
{
  size_t size = granules * GC_GRANULE_BYTES;
  uint64_t bytes = 0;
  void *next;
  for (void *o = GC_malloc_many(size); o != NULL; o = next) {
    next = GC_NEXT(o);
    GC_NEXT(o) = NULL;
    bytes += size;
  }
  libgc.own_bytes += bytes;
  return bytes;
}

/* The collector's sums of bytes given out, and found by sweeping since the
 * last collection; the latter reads as zero while it is below. */
struct sums {
  uint64_t total, found;
};

static struct sums
read_sums(void)
{
  struct GC_prof_stats_s stats;
  GC_get_prof_stats(&stats, sizeof stats);
  return (struct sums){.total = stats.allocd_bytes_before_gc +
                                stats.bytes_allocd_since_gc,
                       .found = stats.bytes_reclaimed_since_gc};
}

/* Takes lists until the collector sweeps a page for one, and sets *LATE to
 * the bytes of that list.  Returns false if no page was left to sweep.  That
 * list is not in the counter yet, but what was late before is now; any other
 * list is counted at once.
 *
 * A list that is swept is among what the collector says that it found; that
 * cannot be seen while the sum is below zero.  A list that is counted makes
 * the counter grow by it at least; by more when a page was swept before in
 * which nothing is free, for then what was late is added, and the list comes
 * from elsewhere.  So if the counter has grown by more, and nothing was
 * found, the next page decides.
 *
 * Full pages are rarely among those to sweep, for the collector leaves them
 * alone.  But its threads count marks without a lock, and one that is held up
 * in the middle of that takes the others' count back. */
static bool
settle_page(uint64_t *late)
{
  struct sums sums = read_sums();
  for (size_t g = GC_TINY_FREELISTS - 1; g > 0; g--) {
    uint64_t took, counted;
    do {
      const struct sums before = sums;
      took = take_list(g);
      sums = read_sums();
      counted = sums.total - before.total;
      if (counted < took || (took > 0 && sums.found - before.found == took)) {
        *late = took;
        return true;
      }
    } while (counted > took);
  }
  return false;
}

/* Adds the sums, which it takes under the collector's lock: no list is made
 * and no collection begins. */
static void
add_sums(struct collector_balance *b, int64_t (*lists)(void))
{
  struct GC_prof_stats_s stats;
  int64_t listed;
  GC_alloc_lock();
  listed = lists();
  read_table_bits(b);
  GC_get_prof_stats_unsafe(&stats, sizeof stats);
  GC_alloc_unlock();
  b->bytes += stats.allocd_bytes_before_gc + stats.bytes_allocd_since_gc -
              libgc.own_bytes;
  if (listed >= 0)
    b->bytes -= (uint64_t)listed;
  else
    b->doubts |= BALANCE_LISTS;
}

struct collector_balance
collector_balance(int64_t (*lists)(void))
{
  struct collector_balance b = {0};
  /* A collector that marks by one thread adds a page at once. */
  if (GC_get_gc_no() != 0 && GC_get_parallel() != 0 &&
      !settle_page(&b.bytes)) {
    /* every page is swept: a collection makes new ones to sweep */
    GC_gcollect();
    if (!settle_page(&b.bytes))
      b.doubts |= BALANCE_PAGE;
  }
  add_sums(&b, lists);
  return b;
}

struct collector_balance
collector_balance_forked(int64_t (*lists)(void))
{
  struct collector_balance b = {.doubts = BALANCE_FORK};
  add_sums(&b, lists);
  return b;
}
