/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gzip_file.c -- see gzip_file.h.
 */
#include "write/gzip_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree/new_file.h"
#include "tree/sizes.h"

void
gzip_file_fail(struct gzip_file *f, int error)
{
  if (f->failed == 0)
    f->failed = error;
}

/* ---- what is written ---- */

static void
keep(struct gzip_file *f, const uint8_t *at, size_t n)
{
  if (arena_grow(&f->contents, f->length + n) != 0) {
    gzip_file_fail(f, ENOMEM);
    return;
  }
  memcpy((uint8_t *)f->contents.base + f->length, at, n);
  f->length += n;
}

static void
write_out(struct gzip_file *f, const uint8_t *at, size_t n)
{
  if (f->in_memory && n > 0) {
    keep(f, at, n);
    return;
  }
  while (n > 0 && f->failed == 0) {
    const ssize_t written = write(f->descriptor, at, n);
    if (written > 0) {
      at += written;
      n -= (size_t)written;
    } else if (written == 0 || errno != EINTR) {
      gzip_file_fail(f, written == 0 ? EIO : errno);
    }
  }
}

/* Of the 30 to 770 KB of most programs' profiles level 4 would leave 7 to 14
 * % less than level 1, in 0.1 to 2 ms more; a compiler for a small file has
 * hardly more for all of its work. */
enum {
  LEVEL = 1,
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
  struct gzip_file *f = closure;
  struct gzip_memory *memory = f->arena.base;
  const size_t bytes =
      ((size_t)count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *taken = memory->zlib + f->taken;
  if (bytes > sizeof memory->zlib - f->taken)
    return NULL;
  f->taken += bytes;
  return taken;
}

static void
give_back(void *closure, void *taken)
{
  (void)closure;
  (void)taken;
}

static void
begin_to_compress(struct gzip_file *f)
{
  f->compresses = true;
  f->deflate = (z_stream){ .zalloc = take, .zfree = give_back, .opaque = f };
  if (deflateInit2(&f->deflate, LEVEL, Z_DEFLATED, WINDOW, MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    gzip_file_fail(f, ENOMEM);
}

static void
write_waiting(struct gzip_file *f)
{
  write_out(f, f->arena.base, f->used); /* its `waiting' is the first */
  f->used = 0;
}

/* Compress and write what waits, the last if `last' says so. */
static void
compress_waiting(struct gzip_file *f, bool last)
{
  struct gzip_memory *memory = f->arena.base;
  if (!f->compresses)
    begin_to_compress(f);
  f->deflate.next_in = memory->waiting;
  f->deflate.avail_in = (unsigned)f->used;
  f->used = 0;
  do {
    if (f->failed != 0)
      return;
    f->deflate.next_out = memory->compressed;
    f->deflate.avail_out = sizeof memory->compressed;
    deflate(&f->deflate, last ? Z_FINISH : Z_NO_FLUSH);
    write_out(f, memory->compressed,
              sizeof memory->compressed - f->deflate.avail_out);
  } while (f->deflate.avail_out == 0);
}

void
gzip_file_put(struct gzip_file *f, const void *bytes, size_t n)
{
  struct gzip_memory *memory = f->arena.base;
  const uint8_t *from = bytes;
  while (n > 0 && f->failed == 0) {
    const size_t room = sizeof memory->waiting - f->used;
    const size_t some = n < room ? n : room;
    memcpy(memory->waiting + f->used, from, some);
    f->used += some;
    from += some;
    n -= some;
    if (f->used < sizeof memory->waiting)
      return;
    if (f->plain)
      write_waiting(f);
    else
      compress_waiting(f, false);
  }
}

/* ---- the file ---- */

/* A pipe is not waited for that nobody reads; what is written then waits. */
static int
open_in_place(const char *path)
{
  const int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0)
    fcntl(file, F_SETFL, 0);
  return file;
}

void
gzip_file_open(struct gzip_file *f, const char *path, const char *temporary)
{
  struct stat there;
  const bool in_place =
      path != NULL && stat(path, &there) == 0 && !S_ISREG(there.st_mode);
  if (f->rename == NULL)
    f->rename = rename;
  f->path = path;
  f->descriptor = -1;
  if (f->failed != 0)
    return;
  f->descriptor =
      in_place ? open_in_place(path) : new_file_replace(temporary);
  if (f->descriptor >= 0 && !in_place)
    f->temporary = temporary;
  if (f->descriptor < 0 ||
      arena_reserve(&f->arena, sizeof(struct gzip_memory)) != 0)
    gzip_file_fail(f, errno);
}

void
gzip_file_open_in_memory(struct gzip_file *f)
{
  f->in_memory = true;
  f->descriptor = -1;
  if (f->failed == 0 &&
      arena_reserve(&f->arena, sizeof(struct gzip_memory)) != 0)
    gzip_file_fail(f, errno);
}

/* Bring it to disk, where the file system can do that. */
static void
sync_file(struct gzip_file *f)
{
  while (fsync(f->descriptor) != 0)
    if (errno != EINTR) {
      if (errno != EINVAL && errno != EROFS)
        gzip_file_fail(f, errno);
      return;
    }
}

void
gzip_file_close(struct gzip_file *f)
{
  if (f->failed == 0) {
    if (f->compresses || f->always ||
        (!f->plain && f->used >= SIZE_GZIP_FILE))
      compress_waiting(f, true);
    else
      write_waiting(f);
  }
  arena_release(&f->arena);
  if (f->failed != 0)
    arena_release(&f->contents);
  if (f->failed == 0 && f->temporary != NULL && f->path != NULL)
    sync_file(f);
  if (f->descriptor >= 0 && close(f->descriptor) != 0)
    gzip_file_fail(f, errno);
  if (f->temporary == NULL)
    return;
  if (f->failed == 0 && f->rename(f->temporary, f->path) != 0)
    gzip_file_fail(f, errno);
  if (f->failed != 0)
    unlink(f->temporary);
}
