/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads whole files, also those in /proc, whose size nobody knows before. */

#include "base/text_file.h"

#include "base/array.h"
#include "base/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Reads DESCRIPTOR to its end, and closes it. */
static char *
read_all(int descriptor, size_t *length)
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
text_file_read(const char *path, size_t *length)
{
  const int descriptor = pool_open(path, O_RDONLY);
  return descriptor < 0 ? NULL : read_all(descriptor, length);
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
    return read_all(descriptor, length);
  pool_close(descriptor);
  return NULL;
}

char *
text_file_load(const char *path)
{
  size_t length;
  const int descriptor = pool_open(path, O_RDONLY);
  if (descriptor < 0)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot open '%s': %s", path, strerror(errno));
  char *text = read_all(descriptor, &length);
  if (text == NULL || strlen(text) < length)
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot read '%s': %s", path,
              text == NULL ? strerror(errno) : "is not text");
  return text;
}
