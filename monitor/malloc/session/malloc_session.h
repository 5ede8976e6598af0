/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.h -- the life of the monitor in one process: from its first
 * allocation, which may come before any constructor, to the file.
 *
 * The environment says what to do:
 *
 *     MPROF_OUT        the file; "%p" in it becomes the number of the process
 *     MPROF_COUNT      "off": count when the program or a signal says so
 *     MPROF_SIGNAL     a signal (USR2, or a number) that starts counting, or
 *                      stops it and writes the file
 *     MPROF_AUTOSAVE   write after so many allocations, again and again; 0:
 *                      never; unset: when their number has doubled
 *     MPROF_BUDGET     contexts, and ends of chains, at most
 *     MPROF_REACHABLE  set: say at the end what is lost (malloc/reach/)
 *     MPROF_UNFOLDED   set: tell all depths of a recursion apart
 *     MPROF_TEMPORARY  how many allocations may lie between (1; at most 64)
 *     MPROF_CONTROL    a file by which `mprof run' asks this process
 *                      (control.h)
 *     MPROF_MAPPED     set: count in an image beside the file (mapped.h)
 *     MPROF_ROOT_PID   set by `mprof run': the process that MPROF_OUT is for,
 *                      and in the end the last program that it becomes; all
 *                      others have the number of their process appended to it
 *
 * and whether there is anything to do, see choice.h.
 *
 * Forks.  The child begins with nothing counted, and has a file of its own.
 *
 * Rights.  Before a process gives up what it needs to open its file, that is
 * written and stays open (rights.c, kept_file.h); before it limits its system
 * calls it is tried whether it can be written then (system_call_filter.h).
 */
#ifndef MPROF_MALLOC_SESSION_H
#define MPROF_MALLOC_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "arch/attributes.h"

/* Do what the environment says, from now on. */
void malloc_session_begin(void);

/* Write no file any more. */
void malloc_session_end(void);

/* Write the file, if anything was counted since it was written, and if this
 * is the process whose figures these are (not so between vfork and exec).
 * Prints one line when that fails.  Gives back 0, or an errno value.  Also
 * after a crash, and in a handler of a signal wherever that came: takes no
 * memory of the program. */
int malloc_session_save(void);

/* The same before this process becomes another program, and when that has
 * failed.  Leaves errno as it is when it has. */
void malloc_session_save_before_exec(void);
void malloc_session_goes_on(void);

struct stopped_thread;

/* The same at the end of the process, with what is lost if that was asked
 * for.  `here' is this thread, and what it still has to do but to end. */
void malloc_session_save_at_end(const struct stopped_thread *here);

/* The process is about to give up what it needs to open the file: write what
 * was counted, and keep the file open.  False: it is not this process's. */
bool malloc_session_keep(void);

/* The process becomes a program without the monitor: say so if its file is
 * the one that was asked for. */
void malloc_session_leaves(const char *why);

/* Count no more, and make no system call any more. */
void malloc_session_seal(void);

struct code_objects;

/* Call `work' with all locked, and nothing that disturbs it; `objects' are
 * those that are loaded.  Gives back what it does, or ENOMEM. */
int malloc_session_locked(int (*work)(struct code_objects *objects));

/* Write it at the end.  Destructors of libraries free, and may run after
 * those of this one.  They are all called by one function of the dynamic
 * linker that is registered like any with atexit, but later than this: the
 * last registered is called first.  It belongs to no library, or that
 * function would call it. */
void malloc_session_save_at_exit(void);

/* Count, or do not, from now on. */
void malloc_session_count(bool on);

/* Since when it counts, or does not, and since when there are figures: real
 * time. */
extern struct malloc_session_since {
  struct timespec counting, figures;
} malloc_session_since HIDDEN;

/* Forget all figures. */
void malloc_session_forget(void);

#endif
