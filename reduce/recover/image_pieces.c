/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "recover/image_pieces.h"

#include "recover/image_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the first piece of that KIND, 0 being the end: sets *OFFSET to where
 * its head is.  False: there is none, or the file is damaged before it. */
static bool
find_piece(int file, uint32_t kind, uint64_t *offset,
           struct image_piece *piece)
{
  *offset = IMAGE_PAGE;
  for (;;) {
    *piece = (struct image_piece){.kind = 0};
    const ssize_t got = pread(file, piece, sizeof *piece, (off_t)*offset);
    if (got < 0 || piece->kind == kind || piece->kind == 0)
      return got >= 0 && piece->kind == kind;
    if (piece->magic != IMAGE_PIECE_MAGIC ||
        piece->bytes > INT64_MAX - *offset - IMAGE_PAGE)
      return false;
    *offset += IMAGE_PAGE + piece->bytes;
  }
}

/* ---- the stripes ------------------------------------------------------- */

struct stripes *
image_map_stripes(const char *path, uint64_t offset)
{
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  void *mapped = MAP_FAILED;
  if (file >= 0) {
    mapped = mmap(NULL, sizeof(struct stripes), PROT_READ | PROT_WRITE,
                  MAP_SHARED, file, (off_t)offset);
    close(file);
  }
  return mapped == MAP_FAILED ? NULL : mapped;
}

void
image_unmap_stripes(struct stripes *shared)
{
  munmap(shared, sizeof *shared);
}

struct stripes *
image_pieces_stripes(const char *path)
{
  struct image_head head;
  struct image_piece piece;
  uint64_t offset;
  if (!image_read_head(path, &head) || head.language != IMAGE_C)
    return NULL;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool found = file >= 0 &&
                     find_piece(file, IMAGE_STRIPES, &offset, &piece) &&
                     piece.bytes >= sizeof(struct stripes);
  if (file >= 0)
    close(file);
  return found ? image_map_stripes(path, offset + IMAGE_PAGE) : NULL;
}

/* ---- one more ---------------------------------------------------------- */

static bool
write_at(int file, const void *bytes, size_t length, uint64_t offset)
{
  return pwrite(file, bytes, length, (off_t)offset) == (ssize_t)length;
}

/* The head is the last. */
static bool
append(int file, enum image_kind kind, const void *bytes, size_t length)
{
  struct image_piece piece;
  uint64_t end;
  if (!find_piece(file, 0, &end, &piece))
    return false;
  piece = (struct image_piece){
      .magic = IMAGE_PIECE_MAGIC,
      .kind = kind,
      .owner = 1,
      .bytes = (length + IMAGE_PAGE - 1) / IMAGE_PAGE * IMAGE_PAGE};
  const uint64_t behind = end + IMAGE_PAGE + piece.bytes;
  struct stat status;
  errno = ENOSPC; /* what is written may be short */
  return fstat(file, &status) == 0 &&
         (status.st_size >= (off_t)behind ||
          ftruncate(file, (off_t)behind) == 0) &&
         write_at(file, bytes, length, end + IMAGE_PAGE) &&
         write_at(file, &piece, sizeof piece, end);
}

bool
image_pieces_append(const char *path, enum image_kind kind, const void *bytes,
                    size_t length, struct mprof_error *error)
{
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  const bool good = file >= 0 && append(file, kind, bytes, length);
  if (!good)
    mprof_fail(error, MPROF_CANNOT_WRITE, "cannot write '%s': %s", path,
               strerror(errno));
  if (file >= 0)
    close(file);
  return good;
}
