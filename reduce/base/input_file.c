/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a file piece by piece and inflates as it goes, so that neither the
 * compressed file is held in memory nor a bomb gets further than the limits.
 * What is in memory already is taken by pieces, too.
 * Members of a gzip file that follow each other are joined, as gzip does.
 * Kinds of file that people pass by mistake are told apart by their first
 * bytes.  What the data means is not known here.
 */

#include "base/input_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE_BYTES = 65536 };

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
  int descriptor;             /* of the file; negative: take from ... */
  struct input_octets octets; /* ... these, what is left of them */
  uint64_t consumed;          /* bytes of the file that were used */
};

static bool
bad_gzip(struct reading *reading, const char *reason)
{
  return mprof_error_set(
      reading->error, MPROF_BAD_PROFILE, (int64_t)reading->consumed,
      "cannot read '%s': %s (offset %llu of the compressed file)",
      reading->path, reason, (unsigned long long)reading->consumed);
}

static ssize_t
take_piece(struct input_octets *octets, uint8_t *piece)
{
  size_t some = octets->length < PIECE_BYTES ? octets->length : PIECE_BYTES;
  if (some > 0)
    memcpy(piece, octets->data, some);
  octets->data += some;
  octets->length -= some;
  return (ssize_t)some;
}

/* Reads up to PIECE_BYTES into PIECE; -1 after an error, 0 at the end. */
static ssize_t
read_piece(struct reading *reading, uint8_t *piece)
{
  size_t have = 0;
  if (reading->descriptor < 0)
    return take_piece(&reading->octets, piece);
  while (have < PIECE_BYTES) {
    ssize_t got = read(reading->descriptor, piece + have, PIECE_BYTES - have);
    if (got == 0)
      break;
    if (got > 0) {
      have += (size_t)got;
    } else if (errno != EINTR) {
      mprof_error_set(reading->error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                      "cannot read '%s': %s", reading->path, strerror(errno));
      return -1;
    }
  }
  return (ssize_t)have;
}

static bool
append(struct reading *reading, const uint8_t *bytes, size_t length)
{
  struct input_file *file = reading->file;
  uint8_t *data =
      array_reserve(file->data, &file->capacity, file->length + length, 1);
  if (data == NULL)
    return mprof_error_memory(reading->error);
  memcpy(data + file->length, bytes, length);
  file->data = data;
  file->length += length;
  return true;
}

/* Whether LENGTH more bytes of data are within the limits. */
static bool
within_limits(struct reading *reading, size_t length)
{
  const struct input_limits *limits = reading->limits;
  uint64_t total = reading->file->length + (uint64_t)length;
  if (total > limits->data_bytes)
    return mprof_error_set(
        reading->error, MPROF_BAD_PROFILE, (int64_t)reading->consumed,
        "cannot read '%s': holds more than %llu bytes of data (offset %llu "
        "of the %sfile)",
        reading->path, (unsigned long long)limits->data_bytes,
        (unsigned long long)reading->consumed,
        reading->file->compressed ? "compressed " : "");
  if (reading->file->compressed && total > limits->free_bytes &&
      total / limits->ratio > reading->consumed)
    return bad_gzip(reading, "inflates more than any profile does");
  return true;
}

/* Inflates what STREAM holds.  *ENDED tells whether a member is complete. */
static bool
inflate_piece(struct reading *reading, z_stream *stream, bool *ended)
{
  uint8_t out[PIECE_BYTES];
  do {
    if (*ended) {
      if (inflateReset(stream) != Z_OK)
        return mprof_error_memory(reading->error);
      *ended = false;
    }
    stream->next_out = out;
    stream->avail_out = sizeof out;
    uInt before = stream->avail_in;
    int status = inflate(stream, Z_NO_FLUSH);
    reading->consumed += before - stream->avail_in;
    size_t got = sizeof out - stream->avail_out;
    if (!within_limits(reading, got) || !append(reading, out, got))
      return false;
    if (status == Z_MEM_ERROR)
      return mprof_error_memory(reading->error);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return bad_gzip(reading, stream->msg != NULL
                                   ? stream->msg
                                   : "compressed data is damaged");
    *ended = status == Z_STREAM_END;
  } while (stream->avail_in > 0 || (stream->avail_out == 0 && !*ended));
  return true;
}

static bool
read_compressed(struct reading *reading, uint8_t *piece, size_t length)
{
  z_stream stream = {0};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return mprof_error_memory(reading->error);
  bool ended = false;
  bool good = true;
  while (good && length > 0) {
    stream.next_in = piece;
    stream.avail_in = (uInt)length;
    good = inflate_piece(reading, &stream, &ended);
    ssize_t next = good ? read_piece(reading, piece) : 0;
    good = good && next >= 0;
    length = next > 0 ? (size_t)next : 0;
  }
  inflateEnd(&stream);
  if (good && !ended)
    return bad_gzip(reading, "compressed data is cut short");
  return good;
}

static bool
read_plain(struct reading *reading, uint8_t *piece, size_t length)
{
  while (length > 0) {
    if (!within_limits(reading, length) || !append(reading, piece, length))
      return false;
    reading->consumed += length;
    ssize_t next = read_piece(reading, piece);
    if (next < 0)
      return false;
    length = (size_t)next;
  }
  return true;
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
  size_t end = length < 512 ? length : 512;
  for (size_t i = 0; i < end; i++)
    if ((start[i] < 0x20 && strchr("\t\n\r\f", start[i]) == NULL) ||
        start[i] == 0 || start[i] == 0x7f)
      return NULL;
  return "a text file";
}

/* Opens PATH; a negative descriptor after an error. */
static int
open_input(const char *path, struct mprof_error *error)
{
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                    "cannot open '%s': %s", path, strerror(errno));
  } else if (fstat(descriptor, &status) == 0 &&
             (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
    close(descriptor);
    mprof_error_set(error, MPROF_CANNOT_READ, MPROF_NO_OFFSET,
                    "cannot read '%s': is a device", path);
    return -1;
  }
  return descriptor;
}

/* Reads all that there is. */
static bool
unpack(struct reading *reading)
{
  struct input_file *file = reading->file;
  struct mprof_error *error = reading->error;
  const char *path = reading->path;
  uint8_t piece[PIECE_BYTES];
  bool good = false;
  memset(file, 0, sizeof *file);
  ssize_t length = read_piece(reading, piece);
  if (length == 0) {
    mprof_error_set(error, MPROF_BAD_PROFILE, 0,
                    "cannot read '%s': the file is empty (offset 0 of the "
                    "file)",
                    path);
  } else if (length > 0) {
    const char *kind = foreign_kind(piece, (size_t)length);
    file->compressed = length >= 2 && piece[0] == 0x1f && piece[1] == 0x8b;
    if (kind != NULL)
      mprof_error_set(error, MPROF_BAD_PROFILE, 0,
                      "cannot read '%s': is %s, not a profile (offset 0 of "
                      "the file)",
                      path, kind);
    else if (file->compressed)
      good = read_compressed(reading, piece, (size_t)length);
    else
      good = read_plain(reading, piece, (size_t)length);
  }
  file->file_bytes = reading->consumed;
  if (good && file->length == 0)
    good = mprof_error_set(error, MPROF_BAD_PROFILE, 0,
                           "cannot read '%s': the compressed file holds no "
                           "data (offset 0 of the inflated data)",
                           path);
  if (!good)
    input_file_release(file);
  return good;
}

bool
input_file_read(struct input_file *file, const char *path,
                const struct input_limits *limits, struct mprof_error *error)
{
  struct reading reading = {.file = file,
                            .path = path,
                            .limits = limits,
                            .error = error,
                            .descriptor = open_input(path, error)};
  memset(file, 0, sizeof *file);
  if (reading.descriptor < 0)
    return false;
  bool good = unpack(&reading);
  close(reading.descriptor);
  return good;
}

bool
input_file_unpack(struct input_file *file, const char *path,
                  struct input_octets octets,
                  const struct input_limits *limits,
                  struct mprof_error *error)
{
  struct reading reading = {.file = file,
                            .path = path,
                            .limits = limits,
                            .error = error,
                            .descriptor = -1,
                            .octets = octets};
  return unpack(&reading);
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
