/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_image.h -- the image (image/image.h) of a process of a C program:
 * what its file is called, and who can still write to it.
 *
 * Names.  MPROF_OUT names the file of one process, and of each program that
 * this executes in turn: the file of the one before is renamed
 * (image_file.h). MPROF_ROOT_PID is the number of that process, and is set by
 * the first one that finds it unset.  Others add their number to the name,
 * and another one if that is taken.  Where programs are chosen by their names
 * (environment.h) the process that comes first takes the name as it is.
 *
 * Under the lock of the monitor; takes no memory of the program. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/attributes.h"

extern struct process_image {
  char base[PATH_MAX]; /* absolute name, without a process's suffix; empty:
                          not read yet */
  char free[PATH_MAX]; /* the last name with suffix that was tried; scratch */
  bool first;       /* the name is `base' itself; false in forked children */
  bool by_program;  /* the name is from mprof_restart or who attached */
  struct stat root; /* the folder "/" when the name was read */
  char root_process[sizeof "MPROF_ROOT_PID=0123456789"]; /* string put in the
                          environment; of one length, so that programs
                          allocate the same for it in any process */
  char said[PATH_MAX]; /* scratch: a name without control characters */
} process_image HIDDEN;

/* Reads the name from the settings, and sets MPROF_ROOT_PID if nobody has.
 * Does nothing when it is called again. */
void process_image_read_name(void);

/* Begins the image under its name (image_open); image_opened is to follow.
 * Returns 0 or an errno value: EACCES if the name is from an environment that
 * is not trusted, ENOENT after chroot. */
int process_image_open(void);

/* Gives the next image the name, which it copies.  Returns false if that was
 * its name already. */
bool process_image_set(const char *name);

/* Prints "mprof: BEFORE 'NAME': WHY" on standard error.  Prints nothing if
 * WHY is NULL, after arenas_seal, or in a process that was attached to:
 * whoever attached is told. */
void process_image_say(const char *before, const char *why);
