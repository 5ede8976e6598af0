/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_table.c -- see live_table.h. */
#include "lisp/live/live_table.h"

#include <errno.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct live_chunk) <= LIVE_CHUNK_BYTES, "its size");

struct live live;

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

bool
live_table_open(struct live_table *t)
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
  if (!live_table_open(t)) {
    t->lost++;
    return;
  }
  t->open->entries[0] = entry;
  __atomic_store_n(&t->open->count, 1, __ATOMIC_RELEASE);
}

void
live_chunks_free(struct live_chunk *chunks)
{
  while (chunks != NULL) {
    struct live_chunk *const next = chunks->next;
    munmap(chunks, LIVE_CHUNK_BYTES);
    chunks = next;
  }
}

struct live_entry *
live_table_find(const struct live_table *t, const void *memory)
{
  for (struct live_chunk *c = live_chunks(t); c != NULL; c = c->next)
    for (uint32_t i = __atomic_load_n(&c->count, __ATOMIC_ACQUIRE); i-- > 0;)
      if (live_entry_is_of(&c->entries[i], memory))
        return &c->entries[i];
  return NULL;
}

/* ---- what is alive, and what was at the peak, by leaf ----
 *
 * The one is added up when it is asked for.  The other is noted at the peak,
 * for it may be gone later. */

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
    t->misplaced++;
  }
}

void
live_note_collection(uint64_t bytes)
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
  e = live_table_find(t, memory);
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
