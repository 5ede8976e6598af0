/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a file, tells by its first bytes the kinds that people pass by
 * mistake, and inflates piece by piece, so that a bomb gets no further than
 * the limits.  Members of a gzip file that follow each other are joined, as
 * gzip does.  What the data means is not known here.
 */

#include "base/input_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE_BYTES = 65536, KIND_BYTES = 512 };

const struct input_limits input_limits_default = {
    .data_bytes = UINT64_C(1) << 32,
    .free_bytes = UINT64_C(1) << 25,
    .ratio = 400,
    .decoded_bytes = UINT64_C(1) << 33,
    .decoded_free = UINT64_C(1) << 26,
    .decoded_ratio = 4000,
};

/* One reading in progress. */
struct reading {
  struct input_file *file;
  const char *path;
  const struct input_limits *limits;
  struct mprof_error *error;
};

static bool
bad_gzip(struct reading *reading, const char *reason)
{
  uint64_t offset = reading->file->file_bytes;
  return mprof_error_set(
      reading->error, MPROF_BAD_PROFILE, (int64_t)offset,
      "cannot read '%s': %s (offset %llu of the compressed file)",
      reading->path, reason, (unsigned long long)offset);
}

/* Makes room in the data for a piece. */
static bool
reserve_piece(struct reading *reading)
{
  struct input_file *file = reading->file;
  uint8_t *data = array_reserve(file->data, &file->capacity,
                                file->length + PIECE_BYTES, 1);
  if (data == NULL)
    return mprof_error_memory(reading->error);
  file->data = data;
  return true;
}

/* Whether the data that is there is within the limits. */
static bool
within_limits(struct reading *reading)
{
  const struct input_limits *limits = reading->limits;
  const struct input_file *file = reading->file;
  if (file->length > limits->data_bytes)
    return mprof_error_set(
        reading->error, MPROF_BAD_PROFILE, (int64_t)file->file_bytes,
        "cannot read '%s': holds more than %llu bytes of data (offset %llu "
        "of the %sfile)",
        reading->path, (unsigned long long)limits->data_bytes,
        (unsigned long long)file->file_bytes,
        file->compressed ? "compressed " : "");
  if (file->compressed && file->length > limits->free_bytes &&
      file->length / limits->ratio > file->file_bytes)
    return bad_gzip(reading, "inflates more than any profile does");
  return true;
}

/* Inflates RAW, piece by piece. */
static bool
inflate_pieces(struct reading *reading, const struct input_file *raw,
               z_stream *stream)
{
  struct input_file *file = reading->file;
  bool ended = false; /* a member */
  do {
    if (!reserve_piece(reading) || (ended && inflateReset(stream) != Z_OK))
      return mprof_error_memory(reading->error);
    size_t rest = raw->length - file->file_bytes;
    stream->next_in = raw->data + file->file_bytes;
    stream->avail_in = rest > UINT_MAX ? UINT_MAX : (uInt)rest;
    stream->next_out = file->data + file->length;
    stream->avail_out = PIECE_BYTES;
    int status = inflate(stream, Z_NO_FLUSH);
    file->file_bytes = (uint64_t)(stream->next_in - raw->data);
    file->length += PIECE_BYTES - stream->avail_out;
    ended = status == Z_STREAM_END;
    if (!within_limits(reading))
      return false;
    if (status == Z_MEM_ERROR)
      return mprof_error_memory(reading->error);
    if (status != Z_OK && !ended && status != Z_BUF_ERROR)
      return bad_gzip(reading, stream->msg != NULL
                                   ? stream->msg
                                   : "compressed data is damaged");
  } while (file->file_bytes < raw->length ||
           (stream->avail_out == 0 && !ended));
  return ended || bad_gzip(reading, "compressed data is cut short");
}

/* What a file that starts with these bytes is, when it is surely no profile;
 * else NULL.  A plain profile is binary from its second byte on, so text is
 * recognised by the absence of control characters. */
static const char *
foreign_kind(const uint8_t *start, size_t length)
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
    if (length >= kinds[i].length &&
        memcmp(start, kinds[i].magic, kinds[i].length) == 0)
      return kinds[i].kind;
  for (size_t i = 0; i < length && i < KIND_BYTES; i++) {
    uint8_t c = start[i];
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
  if (descriptor < 0)
    mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                    "cannot open '%s': %s", path, strerror(errno));
  else if (fstat(descriptor, &status) == 0 &&
           (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    close(descriptor);
    mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                    "cannot read '%s': is a device", path);
    return -1;
  }
  return descriptor;
}

/* Reads on until there are more than MOST bytes, or all. */
static bool
read_until(struct reading *reading, int descriptor, uint64_t most)
{
  struct input_file *file = reading->file;
  while (file->length <= most) {
    if (!reserve_piece(reading))
      return false;
    ssize_t got = read(descriptor, file->data + file->length, PIECE_BYTES);
    if (got == 0)
      break;
    if (got > 0)
      file->length += (size_t)got;
    else if (errno != EINTR)
      return mprof_error_set(reading->error, MPROF_CANNOT_READ,
                             MPROF_NO_OFFSET, "cannot read '%s': %s",
                             reading->path, strerror(errno));
  }
  return true;
}

/* Whether what has been read can be the beginning of a profile. */
static bool
check_kind(struct reading *reading)
{
  const struct input_file *file = reading->file;
  if (file->length == 0)
    return mprof_error_set(reading->error, MPROF_BAD_PROFILE, 0,
                           "cannot read '%s': the file is empty (offset 0 of "
                           "the file)",
                           reading->path);
  const char *kind = foreign_kind(file->data, file->length);
  return kind == NULL ||
         mprof_error_set(reading->error, MPROF_BAD_PROFILE, 0,
                         "cannot read '%s': is %s, not a profile (offset 0 "
                         "of the file)",
                         reading->path, kind);
}

/* Inflates what was read, if it is compressed. */
static bool
unpack(struct reading *reading)
{
  struct input_file *file = reading->file;
  const struct input_file raw = *file;
  if (raw.length < 2 || raw.data[0] != 0x1f || raw.data[1] != 0x8b) {
    file->file_bytes = raw.length;
    return within_limits(reading);
  }
  *file = (struct input_file){.compressed = true};
  z_stream stream = {0};
  bool good = inflateInit2(&stream, 15 + 16) == Z_OK
                  ? inflate_pieces(reading, &raw, &stream)
                  : mprof_error_memory(reading->error);
  inflateEnd(&stream);
  free(raw.data);
  if (good && file->length == 0)
    return mprof_error_set(reading->error, MPROF_BAD_PROFILE, 0,
                           "cannot read '%s': the compressed file holds no "
                           "data (offset 0 of the inflated data)",
                           reading->path);
  return good;
}

/* Unpacks what was read if that was GOOD. */
static bool
finish(struct reading *reading, bool good)
{
  good = good && unpack(reading);
  if (!good)
    input_file_release(reading->file);
  return good;
}

bool
input_file_read(struct input_file *file, const char *path,
                const struct input_limits *limits, struct mprof_error *error)
{
  struct reading reading = {file, path, limits, error};
  memset(file, 0, sizeof *file);
  int descriptor = open_input(path, error);
  if (descriptor < 0)
    return false;
  bool good = read_until(&reading, descriptor, KIND_BYTES) &&
              check_kind(&reading) &&
              read_until(&reading, descriptor, limits->data_bytes);
  close(descriptor);
  return finish(&reading, good);
}

bool
input_file_unpack(struct input_file *file, const char *path,
                  struct input_octets octets,
                  const struct input_limits *limits,
                  struct mprof_error *error)
{
  struct reading reading = {file, path, limits, error};
  memset(file, 0, sizeof *file);
  file->data = array_reserve(NULL, &file->capacity, octets.length, 1);
  if (file->data == NULL)
    return mprof_error_memory(error);
  file->length = octets.length;
  memcpy(file->data, octets.data, octets.length);
  return finish(&reading, check_kind(&reading));
}

uint64_t
input_file_decoded_limit(const struct input_file *file,
                         const struct input_limits *limits)
{
  uint64_t limit;
  if (limits->decoded_ratio == 0 ||
      __builtin_mul_overflow(file->file_bytes, limits->decoded_ratio,
                             &limit) ||
      __builtin_add_overflow(limit, limits->decoded_free, &limit) ||
      limit > limits->decoded_bytes)
    return limits->decoded_bytes;
  return limit;
}

void
input_file_release(struct input_file *file)
{
  free(file->data);
  memset(file, 0, sizeof *file);
}
