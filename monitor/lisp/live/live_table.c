/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_table.c -- see live_table.h. */
#include "lisp/live/live_table.h"

#include <errno.h>
#include <gc/gc_mark.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct live_chunk) <= LIVE_CHUNK_BYTES, "its size");

struct live live;

/* ---- chunks ---- */

static struct live_chunk *
map_chunk(void)
{
  const int saved = errno;
  void *const chunk =
      mmap(NULL, LIVE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved;
  return chunk == MAP_FAILED ? NULL : chunk;
}

/* Gives a list of chunks back to the kernel. */
static void
free_chunks(struct live_chunk *chunks)
{
  while (chunks != NULL) {
    struct live_chunk *const next = chunks->next;
    munmap(chunks, LIVE_CHUNK_BYTES);
    chunks = next;
  }
}

/* Puts an empty chunk in front of the others: a spare, returned or new one.
 * No other thread may append.  Returns false without memory. */
static bool
open_chunk(struct live_table *t)
{
  struct live_chunk *chunk;
  if (t->spare == NULL)
    t->spare = __atomic_exchange_n(&t->returned, NULL, __ATOMIC_ACQUIRE);
  if (t->spare == NULL)
    t->spare = map_chunk();
  chunk = t->spare;
  if (chunk == NULL)
    return false;
  t->spare = chunk->next;
  chunk->count = chunk->indexed = 0;
  chunk->next = t->open;
  __atomic_store_n(&t->open, chunk, __ATOMIC_RELEASE);
  return true;
}

void
live_table_add_slowly(struct live_table *t, struct live_entry entry)
{
  if (!open_chunk(t)) {
    live_lose();
    return;
  }
  t->open->entries[0] = entry;
  __atomic_store_n(&t->open->count, 1, __ATOMIC_RELEASE);
}

/* Returns the entry for `memory', or NULL; looks at the newest first.  Under
 * the collector's lock. */
static struct live_entry *
find_entry(const struct live_table *t, const void *memory)
{
  for (struct live_chunk *c = live_chunks(t); c != NULL; c = c->next)
    for (uint32_t i = __atomic_load_n(&c->count, __ATOMIC_ACQUIRE); i-- > 0;)
      if (live_entry_is_of(&c->entries[i], memory))
        return &c->entries[i];
  return NULL;
}

/* ---- figures by leaf: what is alive is added up when it is asked for, what
 * was at the peak then, for it may be gone later ---- */

/* Adds the entry SIGN times: 1, or -1 to take it off. */
static void
count_entry(struct live_count *c, const struct live_entry *e, int64_t sign)
{
  c->objects += LIVE_KIND(e->memory) == LIVE_OBJECT ? (uint64_t)sign : 0;
  c->bytes += (uint64_t)sign * live_entry_bytes(e);
}

/* Counts the entry at its leaf, if there is memory, and marks whether it is.
 */
static void
add_to_peak(struct live_table *t, struct live_entry *e)
{
  struct live_count *const of_leaf =
      arena_record(&t->peak, e->leaf / LIVE_LEAF_UNITS, sizeof *of_leaf);
  if (of_leaf != NULL) {
    count_entry(of_leaf, e, 1);
    e->memory |= LIVE_AT_PEAK;
  } else {
    e->memory &= ~LIVE_AT_PEAK;
    live_lose();
  }
}

/* Notes that a collection left so many bytes alive, those of all old entries.
 * If it is a new peak, adds it up by leaf. */
static void
note_collection(uint64_t bytes)
{
  if (bytes <= live.peak_bytes)
    return;
  live.peak_bytes = bytes;
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    struct live_cursor at = {.chunk = live_chunks(t)};
    arena_clear(&t->peak);
    for (struct live_entry *e; (e = live_next(&at)) != NULL;)
      add_to_peak(t, e);
  }
}

void
live_table_move(struct live_table *t, const void *memory, ptrdiff_t leaf)
{
  struct live_entry *e;
  GC_alloc_lock();
  e = find_entry(t, memory);
  if (e != NULL) {
    const bool at_peak = (e->memory & LIVE_AT_PEAK) != 0;
    if (at_peak)
      count_entry((struct live_count *)t->peak.base +
                      e->leaf / LIVE_LEAF_UNITS,
                  e, -1);
    e->leaf = (uint32_t)(leaf >> 4);
    if (at_peak)
      add_to_peak(t, e);
  }
  GC_alloc_unlock();
}

/* Skips leaves that are not there, for which the arena may have records of
 * zeros. */
void
live_table_sum(const struct live_table *t, struct live_figures *sums)
{
  const struct live_count *const peak = t->peak.base;
  struct live_cursor at = {.chunk = live_chunks(t)};
  for (const struct live_entry *e; (e = live_next(&at)) != NULL;)
    count_entry(&sums[e->leaf / LIVE_LEAF_UNITS].alive, e, 1);
  for (size_t i = 0; i < t->peak.reserved_bytes / sizeof *peak; i++)
    if (peak[i].bytes != 0)
      sums[i].peak = peak[i];
}

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

/* Adds all entries that are not in the index yet: the chunks behind one that
 * was begun are in it.  Returns false without memory. */
static bool
index_entries(void)
{
  for (const struct live_table *t = live.tables; t != NULL; t = t->next) {
    bool begun = false;
    for (struct live_chunk *c = live_chunks(t); c != NULL && !begun;
         c = c->next) {
      begun = c->indexed != 0;
      if (!index_chunk(c))
        return false;
    }
  }
  return true;
}

/* Returns the entry for `memory', whichever thread made it, or NULL. */
static struct live_entry *
find_freed(const void *memory)
{
  struct live_entry *e = NULL;
  uint32_t number;
  if (!index_entries()) {
    forget_index();
    for (struct live_table *t = live.tables; t != NULL && e == NULL;
         t = t->next)
      e = find_entry(t, memory);
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

/* ---- what a collection left ---- */

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

/* Compacts the chunks behind the boundary; none is written to before it was
 * read.  Those that become empty the thread takes with one exchange; what it
 * has not taken since the last time it does not need. */
static void
compact(struct live_table *t, struct scan *scan)
{
  struct live_chunk *to = t->boundary->next;
  uint32_t kept = 0; /* entries in `to' */
  if (to == NULL)
    return;
  for (struct live_chunk *c = to; c != NULL; c = c->next) {
    const uint32_t count = c->count;
    for (uint32_t i = 0; i < count; i++) {
      struct live_entry e = c->entries[i];
      if (!stays(scan, &e))
        continue;
      if (kept == LIVE_CHUNK_ENTRIES) {
        to->count = kept;
        to = to->next;
        kept = 0;
      }
      to->entries[kept++] = e;
    }
  }
  to->count = kept;
  free_chunks(__atomic_exchange_n(&t->returned, to->next, __ATOMIC_ACQ_REL));
  to->next = NULL;
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
  struct scan scan = {0};
  forget_index();
  for (struct live_table *t = live.tables; t != NULL; t = t->next)
    if (t->boundary != NULL) {
      compact(t, &scan);
      sift_boundary(t, &scan);
      t->boundary = NULL;
    }
  note_collection(scan.bytes);
  live.number = GC_get_gc_no();
  errno = saved;
}

static void
collection_event(GC_EventType event)
{
  if (event == GC_EVENT_MARK_END)
    for (struct live_table *t = live.tables; t != NULL; t = t->next) {
      t->boundary = t->open;
      t->boundary_count = t->open->count;
    }
  else if (event == GC_EVENT_RECLAIM_END)
    scan_all();
  if (live.next_listener != NULL)
    live.next_listener(event);
}

/* Listens to the collector and to the runtime's frees from now on. */
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
  if (!open_chunk(t))
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
  free_chunks(t->open);
  free_chunks(t->spare);
  free_chunks(t->returned);
  arena_release(&t->peak);
  *t = (struct live_table){0};
}
