/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a file piece by piece and inflates as it goes, so that neither the
 * compressed file is held in memory nor a bomb gets further than the limits.
 * Kinds of file that people pass by mistake are told apart by their first
 * bytes.  Members of a gzip file that follow each other are joined, as
 * gzip does.  This file does not know what the data means.
 */

#include "base/input_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE_BYTES = 8192 };

const struct input_limits input_limits = {
    .data_bytes = UINT64_C(1) << 32,
    .free_bytes = UINT64_C(1) << 25,
    .ratio = 400,
    .memory_free = UINT64_C(1) << 28,
    .memory_ratio = 512,
    .memory_file_ratio = 2048,
};

/* One reading in progress. */
struct reading {
  struct input_file *file;
  const char *path;
  int descriptor;            /* negative: there is no more than ... */
  struct input_octets ahead; /* ... these, which are read and not used */
  uint8_t piece[PIECE_BYTES];
};

/* Refuses the file for what is at OFFSET of WHAT, such as "file". */
static _Noreturn void
refuse(const struct reading *reading, uint64_t offset, const char *what,
       const char *reason)
{
  fail_file(MPROF_BAD_PROFILE, (int64_t)offset, reading->path,
            "cannot read '%s': %s (offset %" PRIu64 " of the %s)",
            reading->path, reason, offset, what);
}

static _Noreturn void
bad_gzip(const struct reading *reading, const char *reason)
{
  refuse(reading, reading->file->file_bytes, "compressed file", reason);
}

/* Reads ahead the next piece of the file; none at its end. */
static void
read_ahead(struct reading *reading)
{
  size_t have = 0;
  while (reading->descriptor >= 0 && have < PIECE_BYTES) {
    ssize_t got =
        read(reading->descriptor, reading->piece + have, PIECE_BYTES - have);
    if (got == 0)
      break;
    if (got > 0)
      have += (size_t)got;
    else if (errno != EINTR)
      fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, reading->path,
                "cannot read '%s': %s", reading->path, strerror(errno));
  }
  reading->ahead = (struct input_octets){reading->piece, have};
}

static void
use_ahead(struct reading *reading, size_t length)
{
  reading->ahead.data += length;
  reading->ahead.length -= length;
  reading->file->file_bytes += length;
}

/* Where LENGTH bytes can be appended to the data. */
static uint8_t *
room_for(struct reading *reading, size_t length)
{
  struct input_file *file = reading->file;
  ARRAY_ROOM(file->data, file->capacity, file->length + length);
  return file->data + file->length;
}

/* Refuses data that is beyond the limits. */
static void
check_limits(const struct reading *reading)
{
  const struct input_file *file = reading->file;
  if (file->length > input_limits.data_bytes)
    refuse(reading, file->file_bytes,
           file->compressed ? "compressed file" : "file",
           pool_format("holds more than %" PRIu64 " bytes of data",
                       input_limits.data_bytes));
  if (file->compressed && file->length > input_limits.free_bytes &&
      file->length / input_limits.ratio > file->file_bytes)
    bad_gzip(reading, "expands more than any profile does");
}

/* Takes the data as it is. */
static void
read_plain(struct reading *reading)
{
  do {
    size_t length = reading->ahead.length;
    memcpy(room_for(reading, length), reading->ahead.data, length);
    reading->file->length += length;
    use_ahead(reading, length);
    check_limits(reading);
    read_ahead(reading);
  } while (reading->ahead.length > 0);
}

static void
end_stream(void *stream)
{
  inflateEnd(stream);
}

/* Inflates the data. */
static void
read_compressed(struct reading *reading)
{
  z_stream *stream = pool_zeroed(1, sizeof *stream);
  bool ended = false; /* a member */
  if (inflateInit2(stream, 15 + 16) != Z_OK)
    fail_memory();
  pool_on_release(end_stream, stream);
  do {
    size_t ahead = reading->ahead.length;
    stream->avail_in = ahead > UINT_MAX ? UINT_MAX : (uInt)ahead;
    stream->next_in = (uint8_t *)(uintptr_t)reading->ahead.data;
    stream->avail_out = PIECE_BYTES;
    stream->next_out = room_for(reading, PIECE_BYTES);
    if (ended && inflateReset(stream) != Z_OK)
      fail_memory();
    int status = inflate(stream, Z_NO_FLUSH);
    use_ahead(reading, (size_t)(stream->next_in - reading->ahead.data));
    reading->file->length += PIECE_BYTES - stream->avail_out;
    ended = status == Z_STREAM_END;
    check_limits(reading);
    if (status == Z_MEM_ERROR)
      fail_memory();
    if (status != Z_OK && !ended && status != Z_BUF_ERROR)
      bad_gzip(reading, stream->msg != NULL ? stream->msg
                                            : "compressed data is damaged");
    if (reading->ahead.length == 0)
      read_ahead(reading);
  } while (reading->ahead.length > 0 || (stream->avail_out == 0 && !ended));
  if (!ended)
    bad_gzip(reading, "compressed data is cut short");
  pool_release_now(stream);
}

/* What a file that starts with these bytes is, when it is surely no profile;
 * else NULL.  A plain profile is binary from its second byte on, so text is
 * recognised by the absence of control characters. */
static const char *
foreign_kind(struct input_octets start)
{
  static const struct {
    const char *magic;
    size_t length;
    const char *kind;
  } kinds[] = {
      {"\177ELF", 4, "an ELF file"},
      {"PK\003\004", 4, "a zip archive"},
      {"BZh", 3, "a bzip2 file"},
      {"\3757zXZ", 5, "an xz file"},
      {"\050\265\057\375", 4, "a zstd file"},
      {"\211PNG", 4, "an image"},
      {"!<arch>\n", 8, "an archive"},
      {"perf", 4, "a perf data file"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (start.length >= kinds[i].length &&
        memcmp(start.data, kinds[i].magic, kinds[i].length) == 0)
      return kinds[i].kind;
  for (size_t i = 0; i < start.length && i < 512; i++) {
    uint8_t c = start.data[i];
    if ((c < 0x20 && strchr("\t\n\r\f", c) == NULL) || c == 0 || c == 0x7f)
      return NULL;
  }
  return "a text file";
}

static int
open_input(const char *path)
{
  struct stat status;
  int descriptor = pool_open(path, O_RDONLY);
  if (descriptor < 0)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot open '%s': %s", path, strerror(errno));
  if (fstat(descriptor, &status) == 0 &&
      (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot read '%s': is a device", path);
  return descriptor;
}

/* Reads all that there is, of which a part is read ahead. */
static void
read_all(struct reading *reading)
{
  struct input_file *file = reading->file;
  struct input_octets start = reading->ahead;
  const char *kind = foreign_kind(start);
  if (start.length == 0)
    refuse(reading, 0, "file", "the file is empty");
  if (kind != NULL)
    refuse(reading, 0, "file", pool_format("is %s, not a profile", kind));
  file->compressed =
      start.length >= 2 && start.data[0] == 0x1f && start.data[1] == 0x8b;
  if (!file->compressed) {
    read_plain(reading);
    return;
  }
  read_compressed(reading);
  if (file->length == 0)
    refuse(reading, 0, "inflated data", "the compressed file holds no data");
}

void
input_file_read(struct input_file *file, const char *path)
{
  struct reading reading = {
      .file = file, .path = path, .descriptor = open_input(path)};
  *file = (struct input_file){0};
  read_ahead(&reading);
  read_all(&reading);
  pool_close(reading.descriptor);
}

void
input_file_unpack(struct input_file *file, const char *path,
                  struct input_octets octets)
{
  struct reading reading = {
      .file = file, .path = path, .descriptor = -1, .ahead = octets};
  *file = (struct input_file){0};
  read_all(&reading);
}

void
input_file_forget(struct input_file *file, size_t at)
{
#ifdef MPROF_TINY
  memset(file->data + file->forgotten, 0, at - file->forgotten);
  file->forgotten = at;
#else
  enum { STEP = 1 << 20 };
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = (uintptr_t)file->data + file->forgotten + page - 1;
  const uintptr_t end = (uintptr_t)file->data + at;
  if (at - file->forgotten < STEP)
    return;
  madvise(file->data + (first / page * page - (uintptr_t)file->data),
          end / page * page - first / page * page, MADV_DONTNEED);
  file->forgotten = at;
#endif
}

uint64_t
input_file_memory_limit(const struct input_file *file)
{
  uint64_t of_data = input_limits.memory_ratio * file->length;
  uint64_t of_file = input_limits.memory_file_ratio * file->file_bytes;
  return input_limits.memory_free + (of_data < of_file ? of_data : of_file);
}

uint64_t
input_file_text_limit(const struct input_file *file)
{
  return input_limits.memory_free + input_limits.memory_ratio * file->length;
}
