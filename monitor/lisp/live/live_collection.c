/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_collection.c -- see live_collection.h.
 */
#include "lisp/live/live_collection.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stddef.h>

#include <ecl/ecl.h>

#include "lisp/live/live_deaths.h"
#include "lisp/live/live_frees.h"

/* All of it: under the collector's lock. */
static struct {
  bool opened;
  struct live_table *tables;
  uint64_t number;   /* of the last collection */
  uint64_t boundary; /* the clock of frees when all was marked */
  GC_on_collection_event_proc next; /* who listened before */
} live;

/* ---- what is alive ---- */

/* A scan of many objects, one after the other: the page of the last one, and
 * whether the collector has objects there, for it gives pages without any
 * back at once. */
struct scan {
  struct live_table *table;
  uintptr_t page;
  bool used;
  bool frees; /* something was freed explicitly */
};

enum { PAGE_BYTES = 4096 }; /* of the collector's heap */

static inline bool
is_marked(struct scan *scan, uint64_t address)
{
  void *const memory = (void *)(uintptr_t)(address << 4);
  const uintptr_t page = (uintptr_t)memory & ~(uintptr_t)(PAGE_BYTES - 1);
  if (page != scan->page) {
    scan->page = page;
    scan->used = GC_base(memory) != NULL;
  }
  return scan->used && GC_is_marked(memory);
}

/* Whether the entry stays, one collection older; else its death is noted.
 * `clock': when it was made, or later, but before the next one was. */
static inline bool
survives(struct scan *scan, struct live_entry *e, uint64_t clock)
{
  const uint64_t address = LIVE_ADDRESS(e->memory);
  if ((LIVE_KIND(e->memory) != LIVE_MALLOC && !is_marked(scan, address)) ||
      (scan->frees && live_frees_clock(address) > clock)) {
    if (LIVE_AGE(e->memory) != 0)
      live_deaths_add(scan->table, e);
    return false;
  }
  if (LIVE_AGE(e->memory) != 0xFF)
    e->memory += (uint64_t)1 << LIVE_AGE_SHIFT;
  return true;
}

/* ---- the pass ---- */

/* Where the next entry that stays is put, behind those before it. */
struct place {
  struct live_chunk *chunk;
  uint64_t count; /* in it */
};

/* All chunks are in one list, and none is written to before it was read. */
static void
keep(struct place *to, struct live_entry e)
{
  if (to->count == LIVE_CHUNK_ENTRIES) {
    to->chunk->count = to->count;
    to->chunk = to->chunk->next;
    to->count = 0;
  }
  to->chunk->entries[to->count++] = e;
}

/* `old': the entries have been through it. */
static void
compact_chunk(struct place *to, struct scan *scan,
              const struct live_chunk *chunk, bool old)
{
  uint64_t clock = old ? 0 : chunk->clock;
  const uint64_t count = chunk->count;
  for (uint64_t i = 0; i < count; i++) {
    struct live_entry e = chunk->entries[i];
    if (LIVE_KIND(e.memory) == LIVE_TIME)
      clock = LIVE_ADDRESS(e.memory);
    else if (e.memory != 0 && survives(scan, &e, clock))
      keep(to, e);
  }
}

/* The thread takes them with one exchange.  What it has not taken since the
 * last time it does not need. */
static void
give_back(struct live_table *t, struct live_chunk *chunks)
{
  live_chunks_free(
      __atomic_exchange_n(&t->returned, chunks, __ATOMIC_ACQ_REL));
}

/* The chunks that were full when all was marked go behind the old ones. */
static void
compact(struct live_table *t, struct scan *scan)
{
  struct live_chunk *full = t->boundary->next, *last_old = NULL, *next;
  struct place to;
  bool old = true;
  t->boundary->next = NULL;
  for (struct live_chunk *c = t->old; c != NULL; c = c->next)
    last_old = c;
  if (last_old != NULL)
    last_old->next = full;
  else
    t->old = full;
  if (t->old == NULL)
    return;
  to = (struct place){.chunk = t->old};
  for (struct live_chunk *c = t->old; c != NULL; c = next) {
    next = c->next;
    old = last_old != NULL && old;
    compact_chunk(&to, scan, c, old);
    old = old && c != last_old;
  }
  to.chunk->count = to.count;
  give_back(t, to.chunk->next);
  to.chunk->next = NULL;
}

/* Its thread may append to the chunk meanwhile: what stays stays where it
 * is. */
static void
sift_boundary(struct live_table *t, struct scan *scan)
{
  struct live_chunk *const chunk = t->boundary;
  uint64_t clock = chunk->clock;
  for (uint64_t i = 0; i < t->boundary_count; i++) {
    struct live_entry *const e = &chunk->entries[i];
    if (LIVE_KIND(e->memory) == LIVE_TIME)
      clock = LIVE_ADDRESS(e->memory);
    else if (e->memory != 0 && !survives(scan, e, clock))
      e->memory = 0;
  }
}

/* A table that was made since has no boundary. */
static void
scan_all(void)
{
  live_frees_begin();
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    struct scan scan = {.table = t, .frees = live_frees_any()};
    if (t->boundary == NULL)
      continue;
    compact(t, &scan);
    sift_boundary(t, &scan);
    t->boundary = NULL;
  }
  live_frees_forget(live.boundary);
  live_frees_end();
  live.number = GC_get_gc_no();
}

static void
set_boundaries(void)
{
  live.boundary = __atomic_load_n(&live_clock, __ATOMIC_ACQUIRE);
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    t->boundary = t->open;
    t->boundary_count = live_table_open_count(t);
  }
}

static void
collection_event(GC_EventType event)
{
  if (event == GC_EVENT_MARK_END)
    set_boundaries();
  else if (event == GC_EVENT_RECLAIM_END)
    scan_all();
  if (live.next != NULL)
    live.next(event);
}

void
live_collection_open(void)
{
  if (live.opened)
    return;
  live.opened = true;
  ecl_allocation_monitor.freed = live_freed;
  live.next = GC_get_on_collection_event();
  GC_set_on_collection_event(collection_event);
}

/* ---- the tables ---- */

static void *
add(void *table)
{
  struct live_table *const t = table;
  t->next = live.tables;
  live.tables = t;
  return NULL;
}

void
live_collection_add(struct live_table *t)
{
  GC_call_with_alloc_lock(add, t);
}

static void *
remove_table(void *table)
{
  struct live_table **p = &live.tables;
  while (*p != NULL && *p != table)
    p = &(*p)->next;
  if (*p != NULL)
    *p = (*p)->next;
  return NULL;
}

void
live_collection_remove(struct live_table *t)
{
  GC_call_with_alloc_lock(remove_table, t);
}

void
live_collection_begin(void)
{
  live.number = 0;
  live_frees_forget_lost();
}

uint64_t
live_collection_number(void)
{
  return live.number;
}
