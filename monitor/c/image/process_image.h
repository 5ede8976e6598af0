/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_image.h -- the image (image/image.h) of a process of a C program:
 * what its file is called, and who can still write to it.
 *
 * Names.  MPROF_OUT is for one process, and for each program that this
 * becomes, in turn: what the one before had counted is renamed
 * (image_file.h).  MPROF_ROOT_PID names that process; where it is not set, it
 * is the one that reads it first.  Others have the number of their process
 * behind the name, and another one if that is taken.  Where programs are
 * chosen by their names (environment.h) no process has the first name
 * for itself: the first that comes takes it.
 *
 * Under the lock of the monitor; takes no memory of the program. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/attributes.h"

extern struct process_image {
  char base[PATH_MAX]; /* the name without what tells processes apart; empty:
                          not read */
  char free[PATH_MAX]; /* a name that is tried, or was before this one */
  bool first;       /* `base' is for this process; false in forked children */
  bool by_program;  /* the program has called for it */
  struct stat root; /* the folder "/" when the name was read */
  char root_process[sizeof "MPROF_ROOT_PID=0123456789"]; /* in the
                          environment: as long for any process, as programs
                          allocate for it */
  char said[PATH_MAX]; /* a name without control characters */
} process_image HIDDEN;

/* Read the settings, and begin to number processes.  Once in a process, when
 * it is loaded or attached to. */
void process_image_read_name(void);

/* Begins the image, before image_opened.  Returns 0 or an errno value. */
int process_image_open(void);

/* Gives the next image that name.  Returns false if it is its name already.
 */
bool process_image_set(const char *name);

/* Prints "mprof: BEFORE 'NAME': WHY"; nothing if WHY is NULL. */
void process_image_say(const char *before, const char *why);
