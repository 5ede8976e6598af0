/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_table.c -- see live_table.h.
 */
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
