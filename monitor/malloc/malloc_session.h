/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.h -- the life of the monitor in one process: from its first
 * allocation, which may come before any constructor, to the file.
 *
 * The environment says what to do:
 *
 *     MPROF_OUT        the file; "%p" in it becomes the number of the process
 *     MPROF_COUNT      "off": do not count before the program or a signal
 * says MPROF_SIGNAL     a signal (USR2, or a number) that starts counting, or
 *                      stops it and writes the file
 *     MPROF_AUTOSAVE   write after so many allocations, again and again
 *     MPROF_BUDGET     contexts, and ends of chains, at most
 *     MPROF_UNFOLDED   set: tell all depths of a recursion apart
 *     MPROF_TEMPORARY  how many allocations may lie between (1; at most 64)
 *     MPROF_ROOT_PID   set by `mprof run': the process that MPROF_OUT is for,
 *                      and in the end the last program that it becomes; all
 *                      others have the number of their process appended to it
 */
#ifndef MPROF_MALLOC_SESSION_H
#define MPROF_MALLOC_SESSION_H

#include <stdbool.h>

/* Make the tree, if there is none.  False when there is no memory.  Inside
 * the hook, without the lock. */
bool malloc_session_open(void);

/* Write the file, if anything was counted since it was written.  Prints one
 * line when that fails.  Gives back 0, or an errno value.  Also after a
 * crash: takes no memory of the program. */
int malloc_session_save(void);

/* Whether a handler of a signal has interrupted this thread where it holds a
 * lock: what it has begun can still be saved, but should then not go on. */
bool malloc_session_is_interrupted(void);

/* As many allocations were made as MPROF_AUTOSAVE says: write it.  Inside the
 * hook, without the lock. */
void malloc_session_autosave(void);

/* Write it at the end.  Destructors of libraries free, and may run after
 * those of this one.  They are all called by one function of the dynamic
 * linker that is registered like any with atexit, but later than this: the
 * last registered is called first.  It belongs to no library, or that
 * function would call it. */
void malloc_session_save_at_exit(void);

/* Count, or do not, from now on. */
void malloc_session_count(bool on);

/* This process is the child of a fork: it begins with nothing counted, and
 * has a file of its own. */
void malloc_session_forked(void);

/* Whether this process is the one whose figures these are: not so between
 * vfork and exec. */
bool malloc_session_mine(void);

#endif
