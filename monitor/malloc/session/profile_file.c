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

#include "common/image_format.h"
#include "malloc/choice.h"
#include "malloc/environment.h"
#include "malloc/session/kept_file.h"
#include "malloc/session/malloc_profile.h"
#include "tree/new_file.h"
#include "write/decimal.h"
#include "write/gzip_file.h"

enum {
  SUFFIX_BYTES = 40,
  ROOT_PID_DIGITS = 9 /* as long for any process: programs allocate for it */
};

static struct {
  pid_t process;       /* whose it is; a helper has another number */
  char path[PATH_MAX]; /* of the file; empty: see name_file */
  char base[PATH_MAX]; /* the same without what tells processes apart */
  bool follows;        /* see name_file */
  bool awaited;        /* by `mprof run'; no program had it before */
  struct kept_file kept;
  dev_t device;        /* of its folder, where `inode' is not 0 */
  ino_t inode;
  bool only_kept;      /* nothing else may be tried */
} own = { .kept = { .descriptor = -1 } };

/* Move the file `from' to the new name `to'.  False with EEXIST when there is
 * a file of that name. */
static bool
move_to_new(const char *from, const char *to)
{
  int file;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  /* not on this file system: then the name is taken first */
  file = new_file_open(to);
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
  end = append_number(end, '.', (uint64_t)own.process);
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

/* The program that this process was before exec has written what it had
 * counted to the file that was asked for, in case that the next one is
 * without mprof.  It is not, so the file is for this one, and what is there
 * gets a name beside it. */
static void
move_earlier_program(void)
{
  char name[PATH_MAX];
  if (own.follows && is_regular_file(own.path))
    move_to_name_of_process(own.path, name);
  own.follows = false;
}

/* Give the complete file `from' the name that it is for.  `to' is that, or
 * NULL: other processes than the first look for one when they have something
 * to write, for most children of a fork become another program at once. */
static int
name_file(const char *from, const char *to)
{
  char name[PATH_MAX];
  if (to == NULL) {
    if (!move_to_name_of_process(from, name))
      return -1;
    strcpy(own.path, name);
    return 0;
  }
  move_earlier_program();
  return rename(from, to);
}

static void
name_temporary(char *name)
{
  char *end =
      append_number(stpcpy(name, own.base), '.', (uint64_t)own.process);
  strcpy(end, ".tmp");
}

/* Absolute, since the program may change its folder; "%p" is replaced. */
static void
set_base(const char *name)
{
  size_t n = 0;
  own.process = getpid();
  if (name[0] != '/' && getcwd(own.base, sizeof own.base) != NULL) {
    n = strlen(own.base);
    if (n + 1 < sizeof own.base)
      own.base[n++] = '/';
  }
  for (; *name != '\0' && n + 2 * SUFFIX_BYTES < sizeof own.base; name++) {
    if (name[0] == '%' && name[1] == 'p') {
      n = (size_t)(decimal_put(own.base + n, (uint64_t)own.process, 1) -
                   own.base);
      name++;
    } else {
      own.base[n++] = *name;
    }
  }
  own.base[n] = '\0';
}

/* No process is the root if programs are chosen by their names.
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
  own.awaited = text != NULL && !own.follows;
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
profile_file_image(char *name)
{
  char *end;
  if (own.path[0] != '\0')
    end = stpcpy(name, own.path);
  else
    end = append_number(stpcpy(name, own.base), '.', (uint64_t)own.process);
  strcpy(end, IMAGE_ENDING);
  move_earlier_program();
}

void
profile_file_set(const char *name)
{
  kept_file_close(&own.kept);
  own.inode = 0;
  set_base(name);
  memcpy(own.path, own.base, sizeof own.path);
  own.follows = false;
}

void
profile_file_forked(void)
{
  kept_file_close(&own.kept);
  own.process = getpid();
  own.path[0] = '\0';
  own.follows = own.awaited = false;
}

const char *
profile_file_name(void)
{
  return own.path[0] != '\0' ? own.path : own.base;
}

/* ---- keeping it open ---- */

/* The folder of the file, as the process sees it now. */
static bool
find_folder(struct stat *folder)
{
  char name[PATH_MAX] = ".";
  const char *slash = strrchr(own.base, '/'); /* NULL: getcwd has failed */
  if (slash != NULL)
    memcpy(name, own.base, (size_t)(slash - own.base) + 1);
  return stat(name, folder) == 0;
}

/* After chroot the name may be that of another file. */
static bool
folder_is_another(void)
{
  struct stat folder;
  return own.inode != 0 &&
         !(find_folder(&folder) && folder.st_dev == own.device &&
           folder.st_ino == own.inode);
}

/* Open the file, which is made if it is not there, and stays as it is if it
 * is.  That of another process than the first is empty as long as there is
 * nothing to write. */
static int
open_to_keep(void)
{
  char temporary[PATH_MAX];
  int file;
  if (own.path[0] != '\0') {
    move_earlier_program();
    return open(own.path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                new_file_mode());
  }
  name_temporary(temporary);
  file = new_file_replace(temporary);
  if (file >= 0 && name_file(temporary, NULL) != 0) {
    unlink(temporary);
    close(file);
    return -1;
  }
  return file;
}

void
profile_file_keep(void)
{
  struct stat there;
  int file;
  profile_file_open();
  if (own.only_kept || kept_file_is_there(&own.kept) || folder_is_another() ||
      !find_folder(&there))
    return;
  own.device = there.st_dev;
  own.inode = there.st_ino;
  if (stat(own.path, &there) == 0 && !S_ISREG(there.st_mode))
    return; /* a device, or a pipe */
  file = open_to_keep();
  if (file >= 0)
    kept_file_take(&own.kept, file);
}

void
profile_file_only_kept(void)
{
  own.only_kept = true;
}

void
profile_file_try(void)
{
  kept_file_try(&own.kept);
}

/* The file is made last: what could end this is behind it then. */
void
profile_file_try_new(void)
{
  char name[PATH_MAX], target[1];
  struct stat there;
  int file;
  name_temporary(name);
  unlink(name);
  rename(name, name);
  renameat2(AT_FDCWD, name, AT_FDCWD, name, RENAME_NOREPLACE);
  lstat(name, &there);
  (void)!readlink(name, target, sizeof target);
  fsync(-1);
  file = new_file_open(name);
  close(file);
  unlink(name);
}

void
profile_file_mark(void)
{
  int file;
  if (!own.awaited || own.only_kept || folder_is_another())
    return;
  file = new_file_open(environment_value("MPROF_OUT"));
  if (file >= 0)
    close(file);
}

/* ---- writing ---- */

static int
write_kept(const struct code_objects *objects)
{
  struct malloc_snapshot now = malloc_snapshot_now();
  const struct malloc_figures figures = malloc_figures(objects, &now);
  struct gzip_file file = { .always = true }; /* seldom less than before */
  gzip_file_open_in_memory(&file);
  malloc_profile_write(&file, &figures);
  gzip_file_close(&file);
  if (file.failed == 0)
    file.failed =
        kept_file_replace(&own.kept, file.contents.base, file.length);
  arena_release(&file.contents);
  return file.failed;
}

int
profile_file_write(const struct code_objects *objects)
{
  struct gzip_file file = { .rename = name_file };
  struct malloc_snapshot now;
  struct malloc_figures figures;
  char temporary[PATH_MAX];
  profile_file_open();
  if (own.only_kept || kept_file_is_there(&own.kept))
    return write_kept(objects);
  if (folder_is_another())
    return ENOENT;
  name_temporary(temporary);
  gzip_file_open(&file, own.path[0] != '\0' ? own.path : NULL, temporary);
  now = malloc_snapshot_now();
  figures = malloc_figures(objects, &now);
  malloc_profile_write(&file, &figures);
  gzip_file_close(&file);
  return file.failed;
}

void
profile_file_say_end(const char *why)
{
  if (own.path[0] != '\0')
    profile_file_say_why("nothing more goes to", why);
}
