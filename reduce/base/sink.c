/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffered output with a sticky error; see sink.h.  Partial and interrupted
 * writes are continued.  This does not close anything. */

#include "base/sink.h"

#include "base/array.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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
