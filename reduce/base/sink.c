/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffered output with a sticky error; see sink.h.  Partial and interrupted
 * writes are continued.
 *
 * A file is replaced as a whole: temporary file, fsync, rename.  A symbolic
 * link is followed first, so that the link stays a link.  ISA-L compresses. */

#include "base/sink.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void
sink_init(struct sink *sink, sink_write *write_bytes, void *target)
{
  memset(sink, 0, offsetof(struct sink, buffer));
  sink->write = write_bytes;
  sink->target = target;
}

void
sink_fail(struct sink *sink, int error_number)
{
  if (sink->error_number == 0)
    sink->error_number = error_number;
}

bool
sink_flush(struct sink *sink)
{
  if (sink->error_number == 0 && sink->used > 0)
    sink->error_number = sink->write(sink->target, sink->buffer, sink->used);
  sink->used = 0;
  return sink->error_number == 0;
}

void
sink_bytes(struct sink *sink, const char *bytes, size_t length)
{
  while (length > 0 && sink->error_number == 0) {
    size_t room = sizeof sink->buffer - sink->used;
    size_t part = length < room ? length : room;
    memcpy(sink->buffer + sink->used, bytes, part);
    sink->used += part;
    bytes += part;
    length -= part;
    if (sink->used == sizeof sink->buffer)
      sink_flush(sink);
  }
}

void
sink_text(struct sink *sink, const char *text)
{
  sink_bytes(sink, text, strlen(text));
}

void
sink_repeat(struct sink *sink, char character, size_t count)
{
  for (; count > 0 && sink->error_number == 0; count--)
    sink_bytes(sink, &character, 1);
}

void
sink_format(struct sink *sink, const char *format, ...)
{
  char small[256];
  char *text = small;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(small, sizeof small, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof small) {
    va_start(arguments, format);
    text = pool_format_v(format, arguments);
    va_end(arguments);
  }
  sink_bytes(sink, text, (size_t)length);
  if (text != small)
    pool_free(text);
}

void
sink_style(struct sink *sink, enum text_style style)
{
  static const char *const sequences[] = {
      [STYLE_PLAIN] = "\033[0m",
      [STYLE_STRONG] = "\033[1m",
      [STYLE_HEAVY] = "\033[31m",
  };
  if (sink->color)
    sink_text(sink, sequences[style]);
}

/* Writes as write(2) does.  Beyond RLIMIT_FSIZE it fails with EFBIG, and the
 * signal that would end the process is taken back. */
static ssize_t
write_within_limit(int descriptor, const char *bytes, size_t length)
{
  static const struct timespec at_once;
  sigset_t limit, before, pending;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  sigpending(&pending);
  const ssize_t written = write(descriptor, bytes, length);
  const int error = errno;
  if (written < 0 && error == EFBIG && !sigismember(&pending, SIGXFSZ))
    sigtimedwait(&limit, NULL, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}

int
sink_write_descriptor(void *target, const char *bytes, size_t length)
{
  const int *descriptor = target;
  while (length > 0) {
    ssize_t written = write_within_limit(*descriptor, bytes, length);
    if (written == 0)
      return EIO;
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      bytes += written;
      length -= (size_t)written;
    }
  }
  return 0;
}

static int
write_string(void *target, const char *bytes, size_t length)
{
  struct string_sink *string = target;
  ARRAY_ROOM(string->text, string->capacity, string->length + length + 1);
  *(char *)mempcpy(string->text + string->length, bytes, length) = '\0';
  string->length += length;
  return 0;
}

void
string_sink_init(struct string_sink *string)
{
  sink_init(&string->sink, write_string, string);
  string->capacity = sizeof "";
  string->text = pool_zeroed(1, string->capacity);
  string->length = 0;
}

const char *
string_sink_text(struct string_sink *string)
{
  sink_flush(&string->sink);
  string->text[string->length] = '\0';
  return string->text;
}

void
string_sink_clear(struct string_sink *string)
{
  sink_flush(&string->sink);
  string->length = 0;
}

/* ---- files ------------------------------------------------------------- */

enum { MOST_TRIES = 100 }; /* names for the temporary file */

struct output_file {
  struct sink sink; /* is first, as the file is known by it */
  const char *path; /* not owned: as the user gave it */
  char *target;     /* what is replaced */
  char *temporary;  /* NULL when the target is written directly */
  int descriptor;
};

static _Noreturn void
cannot_write(const struct output_file *file, int error_number)
{
  fail_file(MPROF_CANNOT_WRITE, MPROF_NO_OFFSET, file->path,
            "cannot write '%s': %s", file->path, strerror(error_number));
}

/* Removes a file that was not completed. */
static void
drop(void *what)
{
  struct output_file *file = what;
  if (file->descriptor >= 0)
    close(file->descriptor);
  if (file->temporary != NULL)
    unlink(file->temporary);
}

/* Opens a new file beside the target; the mode is that of OLD, or what the
 * process gives to new files. */
static void
open_temporary(struct output_file *file, const struct stat *old)
{
  char *name = pool_alloc(strlen(file->target) + 64);
  for (unsigned i = 0; file->descriptor < 0 && i < MOST_TRIES; i++) {
    sprintf(name, "%s.tmp.%ld.%u", file->target, (long)getpid(), i);
    file->descriptor =
        open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->descriptor < 0 && errno != EEXIST)
      cannot_write(file, errno);
  }
  if (file->descriptor < 0)
    cannot_write(file, errno);
  file->temporary = name;
  if (old != NULL && fchmod(file->descriptor, old->st_mode & 07777) != 0)
    cannot_write(file, errno);
}

struct sink *
output_file_open(const char *path)
{
  struct stat status;
  char resolved[PATH_MAX];
  struct output_file *file = pool_zeroed(1, sizeof *file);
  file->path = path;
  file->descriptor = -1;
  pool_on_release(drop, file);
  const bool exists = stat(path, &status) == 0;
  const bool regular = exists && S_ISREG(status.st_mode);
  if (regular && realpath(path, resolved) == NULL)
    cannot_write(file, errno);
  file->target = pool_text(regular ? resolved : path);
  if (!exists || regular)
    open_temporary(file, exists ? &status : NULL);
  else if ((file->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) <
           0)
    cannot_write(file, errno);
  sink_init(&file->sink, sink_write_descriptor, &file->descriptor);
  return &file->sink;
}

void
output_file_close(struct sink *sink, bool sync)
{
  struct output_file *file = (struct output_file *)sink;
  if (!sink_flush(sink))
    cannot_write(file, sink->error_number);
  if (file->temporary != NULL && sync && fsync(file->descriptor) != 0)
    cannot_write(file, errno);
  const int descriptor = file->descriptor;
  file->descriptor = -1;
  if (close(descriptor) != 0)
    cannot_write(file, errno);
  if (file->temporary != NULL && rename(file->temporary, file->target) != 0)
    cannot_write(file, errno);
  pool_forget(file);
}

/* ---- compression ------------------------------------------------------- */

enum { PIECE_BYTES = 1 << 14 };

struct gzip_sink {
  struct sink sink;    /* is first, as this is known by it */
  struct sink *target; /* not owned */
  struct isal_zstream stream;
  uint8_t level[ISAL_DEF_LVL1_SMALL]; /* what the level needs */
  size_t plain_count;
  uint8_t plain[1 << 16]; /* each call copies as much as is remembered, 32 kB */
};

/* Compresses the plain bytes.  Returns the error of the target, or 0. */
static int
compress_bytes(struct gzip_sink *gzip)
{
  uint8_t piece[PIECE_BYTES];
  struct isal_zstream *stream = &gzip->stream;
  stream->next_in = gzip->plain;
  stream->avail_in = (uint32_t)gzip->plain_count;
  gzip->plain_count = 0;
  do {
    stream->next_out = piece;
    stream->avail_out = sizeof piece;
    if (isal_deflate(stream) != COMP_OK)
      return EIO;
    sink_bytes(gzip->target, (const char *)piece,
               sizeof piece - stream->avail_out);
  } while (stream->avail_out == 0);
  return gzip->target->error_number;
}

static int
write_compressed(void *target, const char *bytes, size_t length)
{
  struct gzip_sink *gzip = target;
  int error = 0;
  if (length > sizeof gzip->plain - gzip->plain_count)
    error = compress_bytes(gzip);
  memcpy(gzip->plain + gzip->plain_count, bytes, length);
  gzip->plain_count += length;
  return error;
}

/* Writes the header of the member, with COMMENT, to the target. */
static void
write_header(struct gzip_sink *gzip, const char *comment)
{
  enum { FIXED_BYTES = 10, UNIX = 3 };
  const size_t length = comment != NULL ? strlen(comment) + 1 : 0;
  uint8_t *bytes = pool_alloc(FIXED_BYTES + length);
  struct isal_gzip_header header;
  isal_gzip_header_init(&header);
  header.os = UNIX;
  header.comment = (char *)(uintptr_t)comment;
  header.comment_buf_len = (uint32_t)length;
  gzip->stream.next_out = bytes;
  gzip->stream.avail_out = (uint32_t)(FIXED_BYTES + length);
  isal_write_gzip_header(&gzip->stream, &header);
  sink_bytes(gzip->target, (const char *)bytes, gzip->stream.total_out);
  pool_free(bytes);
}

struct sink *
gzip_sink_open(struct sink *target, const char *comment)
{
  struct gzip_sink *gzip = pool_alloc(sizeof *gzip);
  isal_deflate_init(&gzip->stream);
  gzip->stream.level = 1;
  gzip->stream.level_buf = gzip->level;
  gzip->stream.level_buf_size = sizeof gzip->level;
  gzip->stream.gzip_flag = IGZIP_GZIP_NO_HDR;
  gzip->plain_count = 0;
  gzip->target = target;
  sink_init(&gzip->sink, write_compressed, gzip);
  write_header(gzip, comment);
  return &gzip->sink;
}

void
gzip_sink_close(struct sink *sink)
{
  struct gzip_sink *gzip = (struct gzip_sink *)sink;
  if (sink_flush(sink)) {
    gzip->stream.end_of_stream = 1;
    sink_fail(sink, compress_bytes(gzip));
  }
  sink_fail(gzip->target, sink->error_number);
  pool_free(gzip);
}
