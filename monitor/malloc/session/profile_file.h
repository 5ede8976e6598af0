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
 * One thread at a time, under the monitor's lock; a handler of a signal may
 * interrupt it and write the file by itself.  Takes no memory of the program.
 */
#ifndef MPROF_PROFILE_FILE_H
#define MPROF_PROFILE_FILE_H

/* Find the name in the environment, the first time. */
void profile_file_open(void);

/* The program asks for another one. */
void profile_file_set(const char *name);

/* This process is the child of a fork. */
void profile_file_forked(void);

struct code_objects;

/* Write the figures of now: complete or not at all, but where a device or a
 * pipe was asked for.  As for malloc_profile_write, all is locked.  Gives
 * back 0, or an errno value. */
int profile_file_write(const struct code_objects *objects);

/* For messages. */
const char *profile_file_name(void);

#endif
