/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a file, and inflates it piece by piece, so that a bomb gets no
 * further than the limits.  Kinds of file that people pass by mistake are
 * told apart by their first bytes.  Members of a gzip file that follow each
 * other are joined, as gzip does.  This file does not know what the data
 * means.
 */

#include "base/input_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 16 };

void
cannot_read(const char *path, const char *why)
{
  fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path, "cannot read '%s': %s",
            path, why);
}

int
input_open(const char *path, int flags)
{
  const int descriptor = pool_open(path, flags);
  if (descriptor < 0)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot open '%s': %s", path, strerror(errno));
  return descriptor;
}

static void
close_folder(void *folder)
{
  closedir(folder);
}

DIR *
input_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (folder != NULL)
    pool_on_release(close_folder, folder);
  return folder;
}

/* Refuses FILE for what is at OFFSET of WHAT, such as "file". */
static _Noreturn void
refuse(const struct input_file *file, uint64_t offset, const char *what,
       const char *reason)
{
  fail_file(MPROF_BAD_PROFILE, (int64_t)offset, file->path,
            "cannot read '%s': %s (offset %" PRIu64 " of the %s)", file->path,
            reason, offset, what);
}

static _Noreturn void
bad_gzip(const struct input_file *file, const char *reason)
{
  refuse(file, file->file_bytes, "compressed file", reason);
}

/* Returns where PIECE_BYTES can be appended to the data. */
static uint8_t *
room_for_piece(struct input_file *file)
{
  ARRAY_ROOM(file->data, file->capacity, file->length + PIECE_BYTES);
  return file->data + file->length;
}

/* Refuses data that is beyond the limits. */
static void
check_limits(const struct input_file *file)
{
  if (file->length > INPUT_DATA_BYTES)
    refuse(file, file->file_bytes,
           file->compressed ? "compressed file" : "file",
           pool_format("holds more than %" PRIu64 " bytes of data",
                       INPUT_DATA_BYTES));
  if (file->compressed && file->length > INPUT_FREE_BYTES &&
      file->length / INPUT_RATIO > file->file_bytes)
    bad_gzip(file, "expands more than any profile does");
}

/* Returns what STATUS, which ISA-L gave back, says of a file. */
static const char *
fault_of(int status)
{
  switch (status) {
  case ISAL_INVALID_WRAPPER:
    return "the header of a compressed part is invalid";
  case ISAL_UNSUPPORTED_METHOD:
    return "unknown compression method";
  case ISAL_INCORRECT_CHECKSUM:
    return "the checksum of its data is wrong";
  default:
    return "compressed data is damaged";
  }
}

/* Inflates PACKED, which may be several members, into the data. */
static void
inflate_all(struct input_file *file, struct input_octets packed)
{
  struct inflate_state *stream = pool_zeroed(1, sizeof *stream);
  isal_inflate_init(stream);
  stream->crc_flag = ISAL_GZIP;
  do {
    const size_t left = packed.length - file->file_bytes;
    if (stream->block_state == ISAL_BLOCK_FINISH)
      isal_inflate_reset(stream);
    stream->avail_in = left > UINT_MAX ? UINT_MAX : (uint32_t)left;
    stream->next_in = (uint8_t *)(uintptr_t)packed.data + file->file_bytes;
    stream->avail_out = PIECE_BYTES;
    stream->next_out = room_for_piece(file);
    const int status = isal_inflate(stream);
    file->file_bytes = (uint64_t)(stream->next_in - packed.data);
    file->length += PIECE_BYTES - stream->avail_out;
    check_limits(file);
    if (status < 0)
      bad_gzip(file, fault_of(status));
  } while (file->file_bytes < packed.length ||
           (stream->avail_out == 0 &&
            stream->block_state != ISAL_BLOCK_FINISH));
  if (stream->block_state != ISAL_BLOCK_FINISH)
    bad_gzip(file, "compressed data is cut short");
  pool_free(stream);
  if (file->length == 0)
    refuse(file, 0, "inflated data", "the compressed file holds no data");
}

bool
input_is_heap_text(struct input_octets octets)
{
  static const char *const starts[] = {"heap profile:", "heap_v2/"};
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (octets.length > strlen(starts[i]) &&
        memcmp(octets.data, starts[i], strlen(starts[i])) == 0)
      return true;
  return false;
}

/* Returns what a file that starts with these bytes is if it is surely no
 * profile, else NULL.  A plain profile is binary from its second byte on, so
 * text is recognised by the absence of control characters. */
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
  return input_is_heap_text(start) ? NULL : "a text file";
}

/* Fails where a file that begins with START is surely no profile. */
static void
check_kind(const struct input_file *file, struct input_octets start)
{
  const char *kind = foreign_kind(start);
  if (start.length == 0)
    refuse(file, 0, "file", "the file is empty");
  if (kind != NULL)
    refuse(file, 0, "file", pool_format("is %s, not a profile", kind));
}

/* Reads the file to its end into the data, as it is.  Refuses one that is too
 * long, as a damaged image may be, before it is read. */
static void
read_whole(struct input_file *file)
{
  const int descriptor = input_open(file->path, O_RDONLY);
  struct stat status = {.st_size = 0};
  ssize_t got;
  if (fstat(descriptor, &status) == 0 &&
      (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
    cannot_read(file->path, "is a device");
  do {
    got = read(descriptor, room_for_piece(file), PIECE_BYTES);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      cannot_read(file->path, strerror(errno));
    file->length = file->file_bytes += (size_t)got;
    if (got == 0 || (file->length >= PIECE_BYTES &&
                     file->length - (size_t)got < PIECE_BYTES))
      check_kind(file, (struct input_octets){file->data, file->length});
    if ((uint64_t)status.st_size > INPUT_DATA_BYTES)
      file->length = file->file_bytes = (uint64_t)status.st_size;
    check_limits(file);
  } while (got != 0);
  pool_close(descriptor);
}

static bool
is_packed(struct input_octets octets)
{
  return octets.length >= 2 && octets.data[0] == 0x1f &&
         octets.data[1] == 0x8b;
}

void
input_file_read(struct input_file *file, const char *path,
                struct input_octets octets)
{
  const bool given = octets.data != NULL;
  *file = (struct input_file){.path = path};
  if (given)
    check_kind(file, octets);
  else
    read_whole(file);
  uint8_t *const read = file->data;
  if (!given)
    octets = (struct input_octets){read, file->length};
  if (is_packed(octets)) {
    *file = (struct input_file){.path = path, .compressed = true};
    inflate_all(file, octets);
    pool_free(read);
  } else if (given) {
    ARRAY_ROOM(file->data, file->capacity, octets.length);
    memcpy(file->data, octets.data, octets.length);
    file->file_bytes = file->length = octets.length;
    check_limits(file);
  }
}

void
input_file_forget(struct input_file *file, size_t at)
{
#ifdef MPROF_TINY
  memset(file->data + file->forgotten, 0, at - file->forgotten);
  file->forgotten = at;
#else
  enum { STEP = 1 << 20 };
  if (at - file->forgotten < STEP)
    return;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = (uintptr_t)file->data + file->forgotten + page - 1;
  const uintptr_t end = (uintptr_t)file->data + at;
  madvise(file->data + (first / page * page - (uintptr_t)file->data),
          end / page * page - first / page * page, MADV_DONTNEED);
  file->forgotten = at;
#endif
}

uint64_t
input_file_memory_limit(const struct input_file *file)
{
  uint64_t of_data = INPUT_MEMORY_RATIO * file->length;
  uint64_t of_file = INPUT_MEMORY_FILE_RATIO * file->file_bytes;
  return INPUT_MEMORY_FREE + (of_data < of_file ? of_data : of_file);
}

uint64_t
input_file_text_limit(const struct input_file *file)
{
  return INPUT_MEMORY_FREE + INPUT_MEMORY_RATIO * file->length;
}

/* ---- text ---- */

/* Reads DESCRIPTOR to its end, and closes it. */
static char *
read_text(int descriptor, size_t *length)
{
  enum { PIECE = 65536 };
  char *text = NULL;
  size_t count = 0, capacity = 0;
  ssize_t got;
  do {
    ARRAY_ROOM(text, capacity, count + PIECE);
    got = read(descriptor, text + count, PIECE - 1);
    if (got > 0)
      count += (size_t)got;
  } while (got > 0 || (got < 0 && errno == EINTR));
  const int failure = errno;
  pool_close(descriptor);
  errno = failure;
  text[count] = '\0';
  if (length != NULL)
    *length = count;
  return got == 0 ? text : NULL;
}

char *
text_file_read(const char *path)
{
  const int descriptor = pool_open(path, O_RDONLY);
  return descriptor < 0 ? NULL : read_text(descriptor, NULL);
}

char *
text_file_read_regular(const char *path, size_t most, size_t *length,
                       struct stat *status)
{
  const int descriptor = pool_open(path, O_RDONLY | O_NONBLOCK);
  if (descriptor < 0)
    return NULL;
  if (fstat(descriptor, status) == 0 && S_ISREG(status->st_mode) &&
      (uint64_t)status->st_size <= most)
    return read_text(descriptor, length);
  pool_close(descriptor);
  return NULL;
}

char *
text_file_load(const char *path)
{
  size_t length;
  char *text = read_text(input_open(path, O_RDONLY), &length);
  if (text == NULL || strlen(text) < length)
    cannot_read(path, text == NULL ? strerror(errno) : "is not text");
  return text;
}
