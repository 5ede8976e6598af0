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
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE_BYTES = 65536 };

const struct input_limits input_limits_default = {
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
  const struct input_limits *limits;
  struct mprof_error *error;
  int descriptor;            /* negative: there is no more than ... */
  struct input_octets ahead; /* ... these, which are read and not used */
  uint8_t piece[PIECE_BYTES];
};

/* Refuses the file for what is at OFFSET of WHAT, such as "file". */
static bool
refuse(struct reading *reading, uint64_t offset, const char *what,
       const char *reason)
{
  return mprof_error_set(reading->error, MPROF_BAD_PROFILE, (int64_t)offset,
                         "cannot read '%s': %s (offset %" PRIu64 " of the "
                         "%s)",
                         reading->path, reason, offset, what);
}

static bool
bad_gzip(struct reading *reading, const char *reason)
{
  return refuse(reading, reading->file->file_bytes, "compressed file",
                reason);
}

/* Reads ahead the next piece of the file; none at its end. */
static bool
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
      return mprof_fail(reading->error, MPROF_CANNOT_READ,
                        "cannot read '%s': %s", reading->path,
                        strerror(errno));
  }
  reading->ahead = (struct input_octets){reading->piece, have};
  return true;
}

static void
use_ahead(struct reading *reading, size_t length)
{
  reading->ahead.data += length;
  reading->ahead.length -= length;
  reading->file->file_bytes += length;
}

/* Where LENGTH bytes can be appended to the data; NULL after an error. */
static uint8_t *
room_for(struct reading *reading, size_t length)
{
  struct input_file *file = reading->file;
  if (!ARRAY_ROOM(file->data, file->capacity, file->length + length)) {
    mprof_error_memory(reading->error);
    return NULL;
  }
  return file->data + file->length;
}

/* Whether the data that is there is within the limits. */
static bool
within_limits(struct reading *reading)
{
  const struct input_limits *limits = reading->limits;
  const struct input_file *file = reading->file;
  if (file->length > limits->data_bytes) {
    char reason[64];
    snprintf(reason, sizeof reason,
             "holds more than %" PRIu64 " bytes of data", limits->data_bytes);
    return refuse(reading, file->file_bytes,
                  file->compressed ? "compressed file" : "file", reason);
  }
  if (file->compressed && file->length > limits->free_bytes &&
      file->length / limits->ratio > file->file_bytes)
    return bad_gzip(reading, "expands more than any profile does");
  return true;
}

/* Takes the data as it is. */
static bool
read_plain(struct reading *reading)
{
  do {
    size_t length = reading->ahead.length;
    uint8_t *room = room_for(reading, length);
    if (room == NULL)
      return false;
    memcpy(room, reading->ahead.data, length);
    reading->file->length += length;
    use_ahead(reading, length);
    if (!within_limits(reading) || !read_ahead(reading))
      return false;
  } while (reading->ahead.length > 0);
  return true;
}

/* Inflates the data. */
static bool
read_compressed(struct reading *reading, z_stream *stream)
{
  bool ended = false; /* a member */
  do {
    size_t ahead = reading->ahead.length;
    stream->avail_in = ahead > UINT_MAX ? UINT_MAX : (uInt)ahead;
    stream->next_in = (uint8_t *)(uintptr_t)reading->ahead.data;
    stream->avail_out = PIECE_BYTES;
    stream->next_out = room_for(reading, PIECE_BYTES);
    if (stream->next_out == NULL || (ended && inflateReset(stream) != Z_OK))
      return mprof_error_memory(reading->error);
    int status = inflate(stream, Z_NO_FLUSH);
    use_ahead(reading, (size_t)(stream->next_in - reading->ahead.data));
    reading->file->length += PIECE_BYTES - stream->avail_out;
    ended = status == Z_STREAM_END;
    if (!within_limits(reading))
      return false;
    if (status == Z_MEM_ERROR)
      return mprof_error_memory(reading->error);
    if (status != Z_OK && !ended && status != Z_BUF_ERROR)
      return bad_gzip(reading, stream->msg != NULL
                                   ? stream->msg
                                   : "compressed data is damaged");
    if (reading->ahead.length == 0 && !read_ahead(reading))
      return false;
  } while (reading->ahead.length > 0 || (stream->avail_out == 0 && !ended));
  return ended || bad_gzip(reading, "compressed data is cut short");
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

/* Opens PATH; a negative descriptor after an error. */
static int
open_input(const char *path, struct mprof_error *error)
{
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    mprof_fail(error, MPROF_CANNOT_READ, "cannot open '%s': %s", path,
               strerror(errno));
  } else if (fstat(descriptor, &status) == 0 &&
             (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    mprof_fail(error, MPROF_CANNOT_READ, "cannot read '%s': is a device",
               path);
    close(descriptor);
    return -1;
  }
  return descriptor;
}

/* Reads all that there is, of which a part is read ahead. */
static bool
read_all(struct reading *reading)
{
  struct input_file *file = reading->file;
  struct input_octets start = reading->ahead;
  const char *kind = foreign_kind(start);
  z_stream stream = {0};
  if (start.length == 0)
    return refuse(reading, 0, "file", "the file is empty");
  if (kind != NULL) {
    char reason[64];
    snprintf(reason, sizeof reason, "is %s, not a profile", kind);
    return refuse(reading, 0, "file", reason);
  }
  file->compressed =
      start.length >= 2 && start.data[0] == 0x1f && start.data[1] == 0x8b;
  if (!file->compressed)
    return read_plain(reading);
  bool good = inflateInit2(&stream, 15 + 16) == Z_OK
                  ? read_compressed(reading, &stream)
                  : mprof_error_memory(reading->error);
  inflateEnd(&stream);
  return good &&
         (file->length > 0 || refuse(reading, 0, "inflated data",
                                     "the compressed file holds no data"));
}

/* Reads from DESCRIPTOR, or OCTETS when that is negative. */
static bool
read_from(struct input_file *file, const char *path, int descriptor,
          struct input_octets octets, const struct input_limits *limits,
          struct mprof_error *error)
{
  struct reading reading = {.file = file,
                            .path = path,
                            .limits = limits,
                            .error = error,
                            .descriptor = descriptor,
                            .ahead = octets};
  memset(file, 0, sizeof *file);
  bool good = (descriptor < 0 || read_ahead(&reading)) && read_all(&reading);
  if (!good)
    input_file_release(file);
  return good;
}

bool
input_file_read(struct input_file *file, const char *path,
                const struct input_limits *limits, struct mprof_error *error)
{
  int descriptor = open_input(path, error);
  if (descriptor < 0)
    return false;
  bool good = read_from(file, path, descriptor, (struct input_octets){0},
                        limits, error);
  close(descriptor);
  return good;
}

bool
input_file_unpack(struct input_file *file, const char *path,
                  struct input_octets octets,
                  const struct input_limits *limits,
                  struct mprof_error *error)
{
  return read_from(file, path, -1, octets, limits, error);
}

uint64_t
input_file_memory_limit(const struct input_file *file,
                        const struct input_limits *limits)
{
  uint64_t of_data = limits->memory_ratio * file->length;
  uint64_t of_file = limits->memory_file_ratio * file->file_bytes;
  return limits->memory_free + (of_data < of_file ? of_data : of_file);
}

uint64_t
input_file_text_limit(const struct input_file *file,
                      const struct input_limits *limits)
{
  return limits->memory_free + limits->memory_ratio * file->length;
}

void
input_file_release(struct input_file *file)
{
  free(file->data);
  memset(file, 0, sizeof *file);
}
