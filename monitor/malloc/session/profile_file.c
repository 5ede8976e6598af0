/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_file.c -- see profile_file.h.
 */
#include "malloc/session/profile_file.h"

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

#include "malloc/choice.h"
#include "malloc/environment.h"
#include "malloc/session/malloc_profile.h"
#include "write/decimal.h"
#include "write/gzip_file.h"

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

/* Add a separator and a number to a name that ends at `end'; gives back where
 * it ends then.  There is room for SUFFIX_BYTES. */
static char *
append_number(char *end, char separator, uint64_t n)
{
  *end = separator;
  end = decimal_put(end + 1, n, 1);
  *end = '\0';
  return end;
}

/* Move the file `from' to another name than the ones that other processes, or
 * this one before exec, have taken: FILE.PID, FILE.PID.2, ...; before these
 * FILE, where programs are chosen by their names.  That is put into `name'.
 */
static bool
move_to_name_of_process(const char *from, char *name)
{
  char *end = stpcpy(name, own.base);
  if (choice_by_name() && move_to_new(from, name))
    return true;
  end = append_number(end, '.', (uint64_t)getpid());
  for (uint64_t i = 2; !move_to_new(from, name); i++) {
    if (errno != EEXIST || i == 10000)
      return false;
    append_number(end, '.', i);
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
static int
name_file(const char *from, const char *to)
{
  char name[PATH_MAX];
  (void)to; /* a handler of a signal may have found the name since */
  if (own.path[0] == '\0') {
    if (!move_to_name_of_process(from, name))
      return -1;
    strcpy(own.path, name);
    return 0;
  }
  if (own.follows && is_regular_file(own.path))
    move_to_name_of_process(own.path, name);
  own.follows = false;
  return rename(from, own.path);
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

/* Where programs are chosen by their names there is none.
 *
 * In the process that the variable names, or where nobody has set it, the
 * file is the one that was asked for.  It is the same process after exec: a
 * plus sign says that there was a program before.  Other processes find
 * another number than theirs. */
static bool
is_root_process(void)
{
  static char ours[] = "MPROF_ROOT_PID=+000000000";
  const char *text = environment_value("MPROF_ROOT_PID");
  if (choice_by_name())
    return false;
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
  char *end = append_number(stpcpy(name, own.base), '.', (uint64_t)getpid());
  if (depth > 0)
    end = append_number(end, '-', depth);
  strcpy(end, ".tmp");
}

int
profile_file_write(const struct code_objects *objects)
{
  static unsigned depth;
  struct gzip_file file = { .rename = name_file };
  char temporary[PATH_MAX];
  profile_file_open();
  name_temporary(temporary, depth);
  depth++;
  gzip_file_open(&file, own.path[0] != '\0' ? own.path : NULL, temporary);
  malloc_profile_write(&file, objects);
  gzip_file_close(&file);
  depth--;
  return file.failed;
}
