/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gzip_output.c -- see gzip_output.h.
 */
#include "write/gzip_output.h"

#include <errno.h>
#include <string.h>

/* Of the 30 to 770 KB of most programs' profiles level 4 leaves 7 to 14 %
 * less than level 1, in 0.1 to 2 ms more (level 6: 10 to 22 %, in 0.5 to 8).
 * Of 12 MB, a compiler's, level 1 leaves 14 % in 90 ms. */
enum {
  LEVEL = 4,
  FAST_LEVEL = 1,
  WINDOW = 15 + 16, /* bits; 16 more: with the header of gzip */
  MEMORY_LEVEL = 8,
  ALIGNMENT = sizeof(uint64_t)
};

struct gzip_memory {
  uint8_t waiting[1 << 16];    /* to be compressed */
  uint8_t compressed[1 << 14]; /* what is written at once */
  uint8_t zlib[1 << 19];       /* address space: it touches 270 KB of it */
};

/* What zlib takes memory by; it gives none back before the end. */
static void *
take(void *closure, unsigned count, unsigned size)
{
  struct gzip_output *g = closure;
  struct gzip_memory *memory = g->arena.base;
  const size_t bytes =
      ((size_t)count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *taken = memory->zlib + g->taken;
  if (bytes > sizeof memory->zlib - g->taken)
    return NULL;
  g->taken += bytes;
  return taken;
}

static void
give_back(void *closure, void *taken)
{
  (void)closure;
  (void)taken;
}

static void
begin(struct gzip_output *g)
{
  g->compresses = true;
  g->deflate = (z_stream){ .zalloc = take, .zfree = give_back, .opaque = g };
  if (deflateInit2(&g->deflate, g->fast ? FAST_LEVEL : LEVEL, Z_DEFLATED,
                   WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    atomic_file_fail(g->file, ENOMEM);
}

/* Compress and write what waits, the last if `last' says so. */
static void
compress_waiting(struct gzip_output *g, bool last)
{
  struct gzip_memory *memory = g->arena.base;
  if (!g->compresses)
    begin(g);
  g->deflate.next_in = memory->waiting;
  g->deflate.avail_in = (unsigned)g->used;
  g->used = 0;
  do {
    if (g->file->failed != 0)
      return;
    g->deflate.next_out = memory->compressed;
    g->deflate.avail_out = sizeof memory->compressed;
    deflate(&g->deflate, last ? Z_FINISH : Z_NO_FLUSH);
    atomic_file_write(g->file, memory->compressed,
                      sizeof memory->compressed - g->deflate.avail_out);
  } while (g->deflate.avail_out == 0);
}

void
gzip_output_open(struct gzip_output *g)
{
  if (arena_reserve(&g->arena, sizeof(struct gzip_memory)) != 0)
    atomic_file_fail(g->file, errno);
}

void
gzip_output_put(struct gzip_output *g, const void *bytes, size_t n)
{
  struct gzip_memory *memory = g->arena.base;
  const uint8_t *from = bytes;
  while (n > 0 && g->file->failed == 0) {
    const size_t room = sizeof memory->waiting - g->used;
    const size_t some = n < room ? n : room;
    memcpy(memory->waiting + g->used, from, some);
    g->used += some;
    from += some;
    n -= some;
    if (g->used == sizeof memory->waiting)
      compress_waiting(g, false);
  }
}

void
gzip_output_close(struct gzip_output *g)
{
  const struct gzip_memory *memory = g->arena.base;
  if (g->file->failed == 0) {
    if (g->compresses || g->always || g->used >= GZIP_SMALLEST)
      compress_waiting(g, true);
    else
      atomic_file_write(g->file, memory->waiting, g->used);
  }
  arena_release(&g->arena);
}
