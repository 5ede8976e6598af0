/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_collection.c -- see live_table.h. */
#include "lisp/live/live_table.h"

#include <errno.h>
#include <gc/gc_mark.h>

#include <ecl/ecl.h>

/* ---- explicit frees ---- */

static void
forget_index(void)
{
  intern_table_release(&live.addresses);
  arena_release(&live.entries);
  for (struct live_table *t = live.tables; t != NULL; t = t->next)
    for (struct live_chunk *c = live_chunks(t); c != NULL; c = c->next)
      c->indexed = 0;
}

/* Adds the entries of the chunk that are not in the index yet.  Returns false
 * without memory. */
static bool
index_chunk(struct live_chunk *chunk)
{
  const uint32_t count = __atomic_load_n(&chunk->count, __ATOMIC_ACQUIRE);
  for (; chunk->indexed < count; chunk->indexed++) {
    struct live_entry *const e = &chunk->entries[chunk->indexed], **place;
    uint32_t number;
    if (e->memory == 0)
      continue;
    number = intern_key(&live.addresses, LIVE_ADDRESS(e->memory));
    place = number == 0 ? NULL
                        : arena_record(&live.entries, number, sizeof *place);
    if (place == NULL)
      return false;
    *place = e;
  }
  return true;
}

/* Adds the entries of the table that are not in the index yet: the chunks
 * behind one that was begun are in it.  Returns false without memory. */
static bool
index_table(struct live_table *t)
{
  bool begun = false;
  for (struct live_chunk *c = live_chunks(t); c != NULL && !begun;
       c = c->next) {
    begun = c->indexed != 0;
    if (!index_chunk(c))
      return false;
  }
  return true;
}

/* Returns the entry for `memory', whichever thread made it, or NULL. */
static struct live_entry *
find_freed(const void *memory)
{
  struct live_entry *e = NULL;
  struct live_table *t = live.tables;
  uint32_t number;
  while (t != NULL && index_table(t))
    t = t->next;
  if (t != NULL) {
    forget_index();
    for (t = live.tables; t != NULL && e == NULL; t = t->next)
      e = live_table_find(t, memory);
    return e;
  }
  number = intern_find_key(&live.addresses, (uint64_t)(uintptr_t)memory >> 4);
  if (number != 0)
    e = ((struct live_entry **)live.entries.base)[number];
  return e != NULL && live_entry_is_of(e, memory) ? e : NULL;
}

/* Empties the entry of memory that is about to be freed, by any thread; may
 * run inside the hook. */
static void
note_free(void *memory)
{
  const int saved = errno;
  struct live_entry *e;
  if (memory == NULL)
    return;
  GC_alloc_lock();
  e = find_freed(memory);
  if (e != NULL)
    e->memory = 0;
  GC_alloc_unlock();
  errno = saved;
}

/* ---- what is alive ---- */

/* A scan of many objects, one after the other: the page of the last one, and
 * whether the collector has objects there, for it gives pages without any
 * back at once. */
struct scan {
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

/* Returns whether the entry stays, and marks it as old then. */
static inline bool
stays(struct scan *scan, struct live_entry *e)
{
  if (e->memory == 0 || (LIVE_KIND(e->memory) != LIVE_MALLOC &&
                         !is_marked(scan, LIVE_ADDRESS(e->memory))))
    return false;
  e->memory |= LIVE_OLD;
  scan->bytes += live_entry_bytes(e);
  return true;
}

/* ---- the pass ---- */

/* Where the next entry that stays is put, behind those before it. */
struct place {
  struct live_chunk *chunk;
  uint32_t count; /* in it */
};

/* Puts an entry that stays to the next place.  All chunks are in one list,
 * and none is written to before it was read. */
static void
keep(struct place *to, struct live_entry e)
{
  if (to->count == LIVE_CHUNK_ENTRIES) {
    to->chunk->count = to->count;
    *to = (struct place){.chunk = to->chunk->next};
  }
  to->chunk->entries[to->count++] = e;
}

/* Compacts the chunks behind the boundary.  Those that become empty the
 * thread takes with one exchange; what it has not taken since the last time
 * it does not need. */
static void
compact(struct live_table *t, struct scan *scan)
{
  struct place to = {.chunk = t->boundary->next};
  if (to.chunk == NULL)
    return;
  for (struct live_chunk *c = to.chunk; c != NULL; c = c->next) {
    const uint32_t count = c->count;
    for (uint32_t i = 0; i < count; i++) {
      struct live_entry e = c->entries[i];
      if (stays(scan, &e))
        keep(&to, e);
    }
  }
  to.chunk->count = to.count;
  live_chunks_free(
      __atomic_exchange_n(&t->returned, to.chunk->next, __ATOMIC_ACQ_REL));
  to.chunk->next = NULL;
}

/* Empties the entries that died in the chunk to which the thread may append
 * meanwhile: what stays stays where it is. */
static void
sift_boundary(struct live_table *t, struct scan *scan)
{
  for (uint32_t i = 0; i < t->boundary_count; i++) {
    struct live_entry *const e = &t->boundary->entries[i];
    if (!stays(scan, e))
      e->memory = 0;
  }
}

/* Removes what died from all tables.  One that was made since has no
 * boundary. */
static void
scan_all(void)
{
  const int saved = errno;
  uint64_t bytes = 0;
  forget_index();
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    struct scan scan = {0};
    if (t->boundary == NULL)
      continue;
    compact(t, &scan);
    sift_boundary(t, &scan);
    t->boundary = NULL;
    bytes += scan.bytes;
  }
  live_note_collection(bytes);
  live.number = GC_get_gc_no();
  errno = saved;
}

static void
set_boundaries(void)
{
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    t->boundary = t->open;
    t->boundary_count = t->open->count;
  }
}

static void
collection_event(GC_EventType event)
{
  if (event == GC_EVENT_MARK_END)
    set_boundaries();
  else if (event == GC_EVENT_RECLAIM_END)
    scan_all();
  if (live.next_listener != NULL)
    live.next_listener(event);
}

/* Listen to the collector and to the runtime's frees from now on. */
static void
listen(void)
{
  if (ecl_allocation_monitor.freed == note_free)
    return;
  ecl_allocation_monitor.freed = note_free;
  live.next_listener = GC_get_on_collection_event();
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
  forget_index();
  while (*p != t)
    p = &(*p)->next;
  *p = t->next;
  GC_alloc_unlock();
  live_chunks_free(t->open);
  live_chunks_free(t->spare);
  live_chunks_free(t->returned);
  arena_release(&t->peak);
  *t = (struct live_table){0};
}
