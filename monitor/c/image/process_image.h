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

#include <stdbool.h>

/* Read the settings, and begin to number processes.  Once in a process, when
 * it is loaded or attached to. */
void process_image_read_name(void);

/* Begins the image, before image_opened.  Returns 0 or an errno value. */
int process_image_open(void);

/* Gives the next image another name, in the child of a fork. */
void process_image_forked(void);

/* Gives the next image that name.  Returns false if it is its name already.
 */
bool process_image_set(const char *name);

/* Prints "mprof: BEFORE 'NAME': WHY"; nothing if WHY is NULL. */
void process_image_say(const char *before, const char *why);

/* Returns whether the first name is for this process. */
bool process_image_is_first(void);
