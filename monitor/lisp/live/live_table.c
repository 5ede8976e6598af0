/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_table.c -- see live_table.h. */
#include "lisp/live/live_table.h"

#include <errno.h>
#include <string.h>
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

/* Opens a new chunk.  Returns false without memory.  Until it is open there
 * is no place for an entry. */
static bool
open_chunk(struct live_table *t)
{
  struct live_chunk *chunk;
  if (t->open != NULL)
    t->open->count = LIVE_CHUNK_ENTRIES;
  __atomic_store_n(&t->at, NULL, __ATOMIC_RELEASE);
  t->end = NULL;
  if (t->spare == NULL)
    t->spare = __atomic_exchange_n(&t->returned, NULL, __ATOMIC_ACQUIRE);
  if (t->spare == NULL)
    t->spare = map_chunk();
  chunk = t->spare;
  if (chunk == NULL)
    return false;
  t->spare = chunk->next;
  chunk->count = 0;
  chunk->next = t->open;
  __atomic_store_n(&t->open, chunk, __ATOMIC_RELEASE);
  t->end = chunk->entries + LIVE_CHUNK_ENTRIES;
  __atomic_store_n(&t->at, chunk->entries, __ATOMIC_RELEASE);
  return true;
}

/* Reads the count of a chunk that is full: its thread stores that first. */
struct live_chunk *
live_table_open_chunk(const struct live_table *t, uint64_t *count)
{
  struct live_chunk *const open = __atomic_load_n(&t->open, __ATOMIC_ACQUIRE);
  const uint64_t at =
      (uint64_t)(uintptr_t)__atomic_load_n(&t->at, __ATOMIC_ACQUIRE);
  const uint64_t offset = at - (uint64_t)(uintptr_t)open->entries;
  *count = offset <= sizeof open->entries ? offset / sizeof *open->entries
                                          : open->count;
  return open;
}

void
live_table_add_slowly(struct live_table *t, struct live_entry entry)
{
  if (t->open == NULL)
    return;
  if (t->at == t->end && !open_chunk(t)) {
    t->lost++;
    return;
  }
  *t->at = entry;
  __atomic_store_n(&t->at, t->at + 1, __ATOMIC_RELEASE);
}

/* ---- what is alive, and what was at the peak, by leaf ----
 *
 * The one is added up when it is asked for.  The other is noted at the peak,
 * for it may be gone later. */

static void
count_in(struct live_count *c, const struct live_entry *e)
{
  c->objects += LIVE_KIND(e->memory) == LIVE_OBJECT;
  c->bytes += live_entry_bytes(e);
}

/* Counts the entry at `leaf', if there is memory, and marks whether it is. */
static void
add_to_peak(struct live_table *t, uint32_t leaf, struct live_entry *e)
{
  struct live_count *const of_leaf =
      arena_record(&t->peak, leaf / LIVE_LEAF_UNITS, sizeof *of_leaf);
  if (of_leaf != NULL) {
    count_in(of_leaf, e);
    e->memory |= LIVE_AT_PEAK;
  } else {
    e->memory &= ~LIVE_AT_PEAK;
    t->misplaced++;
  }
}

static void
add_all_to_peak(struct live_table *t, struct live_entry *entries,
                uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (entries[i].memory != 0)
      add_to_peak(t, entries[i].leaf, &entries[i]);
}

void
live_note_collection(uint64_t bytes)
{
  if (bytes <= live.peak_bytes)
    return;
  live.peak_bytes = bytes;
  for (struct live_table *t = live.tables; t != NULL; t = t->next) {
    arena_clear(&t->peak);
    if (t->boundary == NULL)
      continue;
    add_all_to_peak(t, t->boundary->entries, t->boundary_count);
    for (struct live_chunk *c = t->old; c != NULL; c = c->next)
      add_all_to_peak(t, c->entries, c->count);
  }
}

void
live_move_entry(struct live_table *t, struct live_entry *e, uint32_t leaf)
{
  if ((e->memory & LIVE_AT_PEAK) != 0) {
    struct live_count *const from =
        (struct live_count *)t->peak.base + e->leaf / LIVE_LEAF_UNITS;
    from->objects -= LIVE_KIND(e->memory) == LIVE_OBJECT;
    from->bytes -= live_entry_bytes(e);
    add_to_peak(t, leaf, e);
  }
  e->leaf = leaf;
}

static void
visit_chunks(const struct live_chunk *chunk, live_visit_fn *visit,
             void *closure)
{
  for (; chunk != NULL; chunk = chunk->next)
    for (uint64_t i = 0; i < chunk->count; i++)
      if ((chunk->entries[i].memory & LIVE_OLD) != 0)
        visit(closure, &chunk->entries[i]);
}

void
live_table_each(struct live_table *t, live_visit_fn *visit,
                     void *closure)
{
  uint64_t count;
  struct live_chunk *const open = live_table_open_chunk(t, &count);
  open->count = count;
  visit_chunks(t->open, visit, closure);
  visit_chunks(t->old, visit, closure);
}

static void
count_entry(void *sums, const struct live_entry *e)
{
  struct live_figures *const figures = sums;
  count_in(&figures[e->leaf / LIVE_LEAF_UNITS].alive, e);
}

/* Skips leaves that are not there, for which the arena may have records of
 * zeros. */
void
live_table_sum(struct live_table *t, struct live_figures *sums)
{
  const struct live_count *const peak = t->peak.base;
  live_table_each(t, count_entry, sums);
  for (size_t i = 0; i < t->peak.reserved_bytes / sizeof *peak; i++)
    if (peak[i].bytes != 0)
      sums[i].peak = peak[i];
}

/* ---- begin and end ---- */

bool
live_table_open(struct live_table *t)
{
  return open_chunk(t);
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

void
live_table_close(struct live_table *t)
{
  live_chunks_free(t->open);
  live_chunks_free(t->old);
  live_chunks_free(t->spare);
  live_chunks_free(t->returned);
  arena_release(&t->peak);
  memset(t, 0, sizeof *t);
}
