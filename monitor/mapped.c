/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mapped.c -- the figures of a Lisp program in an image (tree/image.h), and
 * what is in it beside them: what numbers stand for.
 *
 * Names of compiled functions, files of code, threads and regions are noted
 * when their numbers are given.  So are names of classes and of byte-compiled
 * functions, but as the hook can print them; a thread that Lisp has made
 * prints them anew.  It allocates nothing while it does that and waits, and so
 * is in no profile.
 */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "entry.h"

#include "names/classify.h"
#include "names/code_functions.h"
#include "names/kept_objects.h"
#include "snapshot/notes.h"
#include "tree/image.h"

enum { NAMING_NANOSECONDS = 100000000 };

/* The thread that prints names waits for its end meanwhile. */
static struct {
  sem_t end;
  bool waits;
} naming;

_Static_assert(NOTE_TYPE_BITS(0xFFFF | ECL_ALLOCATED_NOT_SIMPLE) ==
                   (0xFFFF | ECL_ALLOCATED_NOT_SIMPLE),
               "what names of types depend on");

/* All types that have a name of their own. */
static void
note_types(void)
{
  for (uint32_t type = 0; type <= t_end; type++)
    for (uint32_t kind = 0; kind <= 0xFF; kind++) {
      const uint32_t what = type | kind << 8;
      if (kind == 0 || classify_type_name(what) != classify_type_name(type))
        note_type(NULL, what);
      if (classify_type_name(what | ECL_ALLOCATED_NOT_SIMPLE) !=
          classify_type_name(what))
        note_type(NULL, what | ECL_ALLOCATED_NOT_SIMPLE);
    }
}

/* And the allocators that show. */
static void
note_allocators(void)
{
  for (uint32_t what = 0; what <= 0xFFFF; what++)
    note_allocator(NULL, what);
}

/* In place of what the image before this one had. */
static void
note_all(void)
{
  image_forget_notes();
  note_program(NULL);
  note_types();
  code_objects_note_anew();
  code_functions_note();
  note_allocators();
  kept_objects_print_names(true);
  kept_objects_note(true);
  region_table_map(&monitor.regions);
  threads_note_labels();
}

/* The image takes the place of the file that is there, whose rights it gets,
 * but for another image, which may be all that is left of a program.  Gives
 * back the rights; 0: there is none. */
static mode_t
make_way(const char *path)
{
  char magic[sizeof IMAGE_MAGIC - 1];
  struct stat status = {.st_mode = 0};
  const int file =
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  const bool replaced =
      file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      !(pread(file, magic, sizeof magic, 0) == sizeof magic &&
        memcmp(magic, IMAGE_MAGIC, sizeof magic) == 0) &&
      unlink(path) == 0;
  if (file >= 0)
    close(file);
  return replaced ? status.st_mode & 07777 : 0;
}

int
mprof_monitor_map(const char *path)
{
  int status = monitor_enter(), error;
  mode_t mode;
  if (status != MPROF_OK)
    return status;
  mode = make_way(path);
  error = image_open(path, IMAGE_LISP, getpid(), false);
  if (error == 0) {
    if (mode != 0)
      chmod(path, mode);
    note_all();
    error = image_opened();
  }
  if (error != 0)
    status = monitor_fail(error == ENOMEM ? MPROF_NO_MEMORY
                                          : MPROF_CANNOT_WRITE,
                          "cannot write '%s': %s", path,
                          strerrordesc_np(error));
  naming.waits = false;
  sem_init(&naming.end, 0, 0);
  return monitor_leave(status);
}

int
mprof_monitor_unmap(int keep)
{
  const int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  image_close(keep != 0);
  return monitor_leave(MPROF_OK);
}

/* ---- names that have to be printed ---- */

bool
monitor_naming_waits(void)
{
  return __atomic_load_n(&naming.waits, __ATOMIC_ACQUIRE);
}

/* False: that was the last time.  The thread can be thrown out of it, for
 * nothing is held. */
static bool
wait_to_name(void)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_nsec += NAMING_NANOSECONDS;
  if (at.tv_nsec >= 1000000000) {
    at.tv_sec++;
    at.tv_nsec -= 1000000000;
  }
  __atomic_store_n(&naming.waits, true, __ATOMIC_RELEASE);
  while (sem_clockwait(&naming.end, CLOCK_MONOTONIC, &at) != 0)
    if (errno != EINTR)
      return true;
  return false;
}

/* Gives back whether all that there is is in the image. */
static bool
note_names(void)
{
  bool complete;
  if (monitor_enter() != MPROF_OK)
    return true;
  kept_objects_print_names(false);
  kept_objects_note(false);
  complete = !image_is_incomplete();
  monitor_leave(MPROF_OK);
  return complete;
}

int
mprof_monitor_name(void)
{
  bool complete = true;
  while (wait_to_name()) {
    const bool was_complete = complete;
    complete = note_names();
    if (was_complete && !complete)
      fprintf(stderr, "mprof: the mapped file is full or was replaced; "
                      "allocations counted from now on are lost if the "
                      "program is killed\n");
  }
  return MPROF_OK;
}

int
mprof_monitor_end_naming(void)
{
  sem_post(&naming.end);
  return MPROF_OK;
}
