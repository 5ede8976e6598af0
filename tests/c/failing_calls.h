/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * failing_calls.h -- a file whose writing fails: at the n-th write, or at a
 * step after the writes.  The system calls below stand in front of those of
 * the C library; they pass most_bytes at a time, so that one file is several
 * writes, and fail when they are told to.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONTENT = 1 << 20 }; /* more than any file has */

static size_t most_bytes = SIZE_MAX; /* in one write */

/* Which call fails, counted from 1 (0: none), and how. */
static struct {
  unsigned write, fsync, rename;
  int error;
  unsigned writes, fsyncs; /* so far */
} plan;

static char folder[] = "/tmp/mprof-test-XXXXXX";
static char path[sizeof folder + 8]; /* of the file, alone in its folder */

ssize_t
write(int descriptor, const void *bytes, size_t length)
{
  if (++plan.writes == plan.write) {
    errno = plan.error;
    return -1;
  }
  return syscall(SYS_write, descriptor, bytes,
                 length < most_bytes ? length : most_bytes);
}

int
fsync(int descriptor)
{
  if (++plan.fsyncs == plan.fsync) {
    errno = plan.error;
    return -1;
  }
  return (int)syscall(SYS_fsync, descriptor);
}

int
rename(const char *from, const char *to)
{
  errno = plan.error;
  return plan.rename != 0
             ? -1
             : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

static inline void
put_old_file(void)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs("old", file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* The length of the file, of which *CONTENT gets the text. */
static inline size_t
file_content(char content[CONTENT])
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(content, 1, CONTENT - 1, file);
  content[length] = '\0';
  fclose(file);
  return length;
}

/* How many files the folder has. */
static int
count_files(void)
{
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  int count = -2; /* "." and ".." */
  assert_non_null(directory);
  while ((entry = readdir(directory)) != NULL)
    count++;
  closedir(directory);
  return count;
}

static int
make_folder(void **state)
{
  (void)state;
  if (mkdtemp(folder) == NULL)
    return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int
remove_folder(void **state)
{
  (void)state;
  memset(&plan, 0, sizeof plan);
  unlink(path);
  return rmdir(folder);
}
