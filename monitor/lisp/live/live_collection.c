/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_collection.c -- see live_table.h.
 */
#include "lisp/live/live_table.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <errno.h>
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stddef.h>

#include <ecl/ecl.h>

static GC_on_collection_event_proc next_listener; /* who was before */

/* Whether there is an entry of an object or body, which was made at the time
 * *clock or later, but before the next time. */
static inline bool
is_of_memory(const struct live_entry *e, uint64_t *clock)
{
  if (LIVE_KIND(e->memory) != LIVE_TIME)
    return e->memory != 0;
  *clock = LIVE_ADDRESS(e->memory);
  return false;
}

/* ---- explicit frees ---- */

/* When the memory at `address', as an entry has it, was freed last; 0: it was
 * not since the last collection. */
static uint64_t
freed_at(uint64_t address)
{
  const uint32_t number =
      live.freed.count == 0 ? 0 : intern_find_key(&live.freed, address);
  return number == 0 ? 0 : ((const uint64_t *)live.clocks.base)[number];
}

/* The memory is about to be freed, by any thread; may run inside the hook. */
static void
note_free(void *memory)
{
  const int saved = errno;
  uint32_t number;
  uint64_t *clock;
  if (memory == NULL)
    return;
  GC_alloc_lock();
  __atomic_store_n(&live.clock, live.clock + 1, __ATOMIC_SEQ_CST);
  number = intern_key(&live.freed, (uint64_t)(uintptr_t)memory >> 4);
  clock =
      number == 0 ? NULL : arena_record(&live.clocks, number, sizeof *clock);
  if (clock != NULL)
    *clock = live.clock;
  live.lost_frees += clock == NULL;
  GC_alloc_unlock();
  errno = saved;
}

/* ---- what is alive ---- */

/* A scan of many objects, one after the other: the page of the last one, and
 * whether the collector has objects there, for it gives pages without any
 * back at once. */
struct scan {
  struct live_table *table;
  uintptr_t page;
  bool used;
  uint64_t bytes; /* of what stays */
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

/* Whether the entry stays, one collection older; else its death is noted. */
static inline bool
survives(struct scan *scan, struct live_entry *e, uint64_t clock)
{
  const uint64_t address = LIVE_ADDRESS(e->memory);
  if ((LIVE_KIND(e->memory) != LIVE_MALLOC && !is_marked(scan, address)) ||
      freed_at(address) > clock) {
    if (LIVE_AGE(e->memory) != 0)
      live_note_death(scan->table, e);
    return false;
  }
  if (LIVE_AGE(e->memory) != 0xFF)
    e->memory += (uint64_t)1 << LIVE_AGE_SHIFT;
  scan->bytes += live_entry_bytes(e);
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

static void
compact_chunk(struct place *to, struct scan *scan, struct live_chunk *chunk)
{
  const uint64_t count = chunk->count;
  uint64_t clock = chunk->clock;
  for (uint64_t i = 0; i < count; i++) {
    struct live_entry e = chunk->entries[i];
    if (is_of_memory(&e, &clock) && survives(scan, &e, clock))
      keep(to, e);
  }
  chunk->clock = 0;
}

/* The chunks that were full when all was marked go behind the old ones. Those
 * that become empty the thread takes with one exchange; what it has not taken
 * since the last time it does not need. */
static void
compact(struct live_table *t, struct scan *scan)
{
  struct live_chunk **end = &t->old;
  struct place to;
  while (*end != NULL)
    end = &(*end)->next;
  *end = t->boundary->next;
  t->boundary->next = NULL;
  if (t->old == NULL)
    return;
  to = (struct place){.chunk = t->old};
  for (struct live_chunk *c = t->old; c != NULL; c = c->next)
    compact_chunk(&to, scan, c);
  to.chunk->count = to.count;
  live_chunks_free(
      __atomic_exchange_n(&t->returned, to.chunk->next, __ATOMIC_ACQ_REL));
  to.chunk->next = NULL;
}

/* Its thread may append to the chunk meanwhile: what stays stays where it
 * is. */
static void
sift_boundary(struct live_table *t, struct scan *scan)
{
  uint64_t clock = t->boundary->clock;
  for (uint64_t i = 0; i < t->boundary_count; i++) {
    struct live_entry *const e = &t->boundary->entries[i];
    if (is_of_memory(e, &clock) && !survives(scan, e, clock))
      e->memory = 0;
  }
}

/* A table that was made since has no boundary. */
static void
scan_all(void)
{
  const int saved = errno;
  uint64_t bytes = 0;
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    struct scan scan = {.table = t};
    if (t->boundary == NULL)
      continue;
    compact(t, &scan);
    sift_boundary(t, &scan);
    bytes += scan.bytes;
  }
  live_note_collection(bytes);
  for (struct live_table *t = live.tables; t != NULL; t = t->next)
    t->boundary = NULL;
  intern_table_release(&live.freed);
  arena_release(&live.clocks);
  live.number = GC_get_gc_no();
  errno = saved;
}

static void
set_boundaries(void)
{
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
  if (next_listener != NULL)
    next_listener(event);
}

/* Listen to the collector and to the runtime's frees from now on. */
static void
listen(void)
{
  if (ecl_allocation_monitor.freed == note_free)
    return;
  ecl_allocation_monitor.freed = note_free;
  next_listener = GC_get_on_collection_event();
  GC_set_on_collection_event(collection_event);
}

/* ---- the tables ---- */

bool
live_collection_add(struct live_table *t)
{
  listen();
  if (!live_table_open(t))
    return false;
  GC_alloc_lock();
  t->next = live.tables;
  live.tables = t;
  GC_alloc_unlock();
  return true;
}

void
live_collection_remove(struct live_table *t)
{
  struct live_table **p = &live.tables;
  if (!live_table_is_open(t))
    return;
  GC_alloc_lock();
  while (*p != t)
    p = &(*p)->next;
  *p = t->next;
  GC_alloc_unlock();
  live_table_close(t);
}

/* ---- entries ---- */

static struct live_entry *
find_newest(struct live_chunk *chunk, const void *memory)
{
  for (; chunk != NULL; chunk = chunk->next)
    for (uint64_t i = chunk->count; i-- > 0;)
      if (live_entry_is_of(&chunk->entries[i], memory))
        return &chunk->entries[i];
  return NULL;
}

void
live_collection_move(struct live_table *t, const void *memory, ptrdiff_t leaf)
{
  struct live_entry *e;
  GC_alloc_lock();
  t->open->count = live_table_open_count(t);
  e = find_newest(t->open, memory);
  if (e == NULL)
    e = find_newest(t->old, memory);
  if (e != NULL)
    live_move_entry(t, e, (uint32_t)(leaf >> 4));
  GC_alloc_unlock();
}

static void
visit_chunks(const struct live_chunk *chunk, live_visit_fn *visit,
             void *closure)
{
  for (; chunk != NULL; chunk = chunk->next) {
    uint64_t clock = chunk->clock;
    for (uint64_t i = 0; i < chunk->count; i++) {
      const struct live_entry *const e = &chunk->entries[i];
      if (is_of_memory(e, &clock))
        visit(closure, e, freed_at(LIVE_ADDRESS(e->memory)) > clock);
    }
  }
}

void
live_collection_each(struct live_table *t, live_visit_fn *visit,
                     void *closure)
{
  t->open->count = live_table_open_count(t);
  visit_chunks(t->open, visit, closure);
  visit_chunks(t->old, visit, closure);
}
