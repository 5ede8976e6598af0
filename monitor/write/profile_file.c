/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_file.c -- see profile_file.h.
 */
#include "write/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "malloc/decimal.h"
#include "malloc/environment.h"
#include "malloc/malloc_profile.h"

enum {
  SUFFIX_BYTES = 40,
  ROOT_PID_DIGITS = 9 /* as long for any process: programs allocate for it */
};

static struct {
  char path[PATH_MAX]; /* of the file; empty: see name_file */
  char base[PATH_MAX]; /* the same without what tells processes apart */
  bool follows;        /* see name_file */
} own;

/* Move the file `from' to the name `to', which is none yet.  False with
 * EEXIST when it is. */
static bool
move_to_new(const char *from, const char *to)
{
  int file;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  /* not on this file system: then the name is taken first */
  file = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return file >= 0 && close(file) == 0 && rename(from, to) == 0;
}

/* Move the file `from' to another name than the ones that other processes, or
 * this one before exec, have taken: FILE.PID, FILE.PID.2, ...  That is put
 * into `name'. */
static bool
move_to_name_of_process(const char *from, char *name)
{
  const size_t n = strlen(own.base); /* there is room for SUFFIX_BYTES */
  char *end;
  memcpy(name, own.base, n);
  name[n] = '.';
  end = decimal_put(name + n + 1, (uint64_t)getpid(), 1);
  *end = '\0';
  for (uint64_t i = 2; !move_to_new(from, name); i++) {
    if (errno != EEXIST || i == 10000)
      return false;
    *end = '.';
    *decimal_put(end + 1, i, 1) = '\0';
  }
  return true;
}

static bool
is_regular_file(const char *name)
{
  struct stat there;
  return lstat(name, &there) == 0 && S_ISREG(there.st_mode);
}

/* Give the complete file `from' the name that it is for.
 *
 * The program that this process was before exec has written what it had
 * counted to the file that was asked for, in case that the next one is
 * without mprof.  It is not, so the file is for this one, and what is there
 * gets a name beside it.
 *
 * Other processes look for a name when they have something to write, for most
 * children of a fork become another program at once. */
static bool
name_file(const char *from)
{
  if (own.path[0] == '\0') {
    char name[PATH_MAX];
    if (!move_to_name_of_process(from, name))
      return false;
    strcpy(own.path, name);
    return true;
  }
  if (own.follows && is_regular_file(own.path)) {
    char aside[PATH_MAX];
    move_to_name_of_process(own.path, aside);
  }
  own.follows = false;
  return rename(from, own.path) == 0;
}

/* Absolute, since the program may change its folder; "%p" is replaced. */
static void
set_base(const char *name)
{
  size_t n = 0;
  if (name[0] != '/' && getcwd(own.base, sizeof own.base) != NULL) {
    n = strlen(own.base);
    if (n + 1 < sizeof own.base)
      own.base[n++] = '/';
  }
  for (; *name != '\0' && n + 2 * SUFFIX_BYTES < sizeof own.base; name++) {
    if (name[0] == '%' && name[1] == 'p') {
      n = (size_t)(decimal_put(own.base + n, (uint64_t)getpid(), 1) -
                   own.base);
      name++;
    } else {
      own.base[n++] = *name;
    }
  }
  own.base[n] = '\0';
}

/* In the process that the variable names, or where nobody has set it, the
 * file is the one that was asked for.  It is the same process after exec: a
 * plus sign says that there was a program before.  Other processes find
 * another number than theirs. */
static bool
is_root_process(void)
{
  static char ours[] = "MPROF_ROOT_PID=+000000000";
  const char *text = environment_value("MPROF_ROOT_PID");
  if (text != NULL && strtol(text, NULL, 10) != (long)getpid())
    return false;
  own.follows = text != NULL && *text == '+';
  decimal_put(strchr(ours, '+') + 1, (uint64_t)getpid(), ROOT_PID_DIGITS);
  environment_set(ours);
  return true;
}

static void
read_name(void)
{
  const char *name = environment_value("MPROF_OUT");
  const char *preloaded = environment_value("LD_PRELOAD");
  const bool root = is_root_process();
  if (name == NULL || *name == '\0')
    name = preloaded != NULL && strstr(preloaded, "libmprof-malloc") != NULL
               ? "mprof.data.%p"
               : "mprof.data";
  set_base(name);
  if (root)
    memcpy(own.path, own.base, sizeof own.path);
}

void
profile_file_open(void)
{
  if (own.base[0] == '\0')
    read_name();
}

void
profile_file_set(const char *name)
{
  set_base(name);
  memcpy(own.path, own.base, sizeof own.path);
  own.follows = false;
}

void
profile_file_forked(void)
{
  own.path[0] = '\0';
  own.follows = false;
}

const char *
profile_file_name(void)
{
  return own.path[0] != '\0' ? own.path : own.base;
}

/* The process that writes, and how often it interrupted itself: two that are
 * not complete at once have two names. */
static void
name_temporary(char *name, unsigned depth)
{
  const size_t n = strlen(own.base);
  char *end;
  memcpy(name, own.base, n);
  name[n] = '.';
  end = decimal_put(name + n + 1, (uint64_t)getpid(), 1);
  if (depth > 0) {
    *end = '-';
    end = decimal_put(end + 1, depth, 1);
  }
  strcpy(end, ".tmp");
}

static int
write_and_name(const char *temporary, const struct code_objects *objects)
{
  int status = malloc_profile_write(temporary, O_CREAT | O_TRUNC, objects);
  if (status == 0 && !name_file(temporary))
    status = errno;
  if (status != 0)
    unlink(temporary);
  return status;
}

int
profile_file_write(const struct code_objects *objects)
{
  static unsigned depth;
  char temporary[PATH_MAX];
  struct stat there;
  int status;
  profile_file_open();
  if (own.path[0] != '\0' && stat(own.path, &there) == 0 &&
      !S_ISREG(there.st_mode))
    return malloc_profile_write(own.path, 0, objects);
  name_temporary(temporary, depth);
  depth++;
  status = write_and_name(temporary, objects);
  depth--;
  return status;
}
