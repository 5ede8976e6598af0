/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_file.h -- the file of this process: which name it has, and that it
 * is complete or not there.
 *
 * The process that the environment names (MPROF_ROOT_PID), or where nobody
 * has set it the first one, has the name that was asked for; all others, and
 * what a process was before exec, have a name of their own: FILE.PID, or
 * FILE.PID.2 and so on.  No file of another process is replaced.  Where
 * programs are chosen by their names (choice.h), FILE is for the first that
 * has something to write.
 *
 * One thread at a time, under the monitor's lock, and no handler of a signal
 * interrupts it (quiet.h).  Takes no memory of the program.
 */
#ifndef MPROF_PROFILE_FILE_H
#define MPROF_PROFILE_FILE_H

#include <stdbool.h>

/* Find the name in the environment, the first time. */
void profile_file_open(void);

/* The program asks for another one. */
void profile_file_set(const char *name);

/* This process is the child of a fork. */
void profile_file_forked(void);

/* Before the process gives up what it needs to open the file: open it, and
 * from then on write to that. */
void profile_file_keep(void);

/* No other way to write is to be tried. */
void profile_file_only_kept(void);

/* Make the system calls of writing to that, or to a new file, and change
 * nothing. */
void profile_file_try(void);
void profile_file_try_new(void);

struct code_objects;

/* Write the figures of now: complete or not at all, but where a device or a
 * pipe was asked for.  As for malloc_profile_write, all is locked.  Gives
 * back 0, or an errno value. */
int profile_file_write(const struct code_objects *objects);

/* This process comes to an end that it has seen, or becomes another program:
 * the file that `mprof run' waits for is there from now on, empty if nothing
 * is written. */
void profile_file_mark(void);

/* What the file is called, in messages. */
const char *profile_file_name(void);

/* Write a line on standard error: what is before and behind the file's name.
 */
void profile_file_say(const char *before, const char *behind);

/* The same with a reason; nothing without. */
void profile_file_say_why(const char *what, const char *why);

/* Say that what comes is not in the file, if it has a name yet: that of the
 * first process has one, others get theirs when they write. */
void profile_file_say_end(const char *why);

/* Put the name of the image that belongs to it into `name', of PATH_MAX
 * bytes.  The file of the program that this process was before exec gets its
 * own name now. */
void profile_file_image(char *name);

#endif
