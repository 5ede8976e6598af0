/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * session.h -- the life of the monitor in one process: from its first
 * allocation, which may come before any constructor, to its end.
 *
 * Model.  The process counts in an image (image/image.h), and has nothing to
 * do when it ends: the reader of the image makes the profile.  The exception
 * is the search for leaks (leak_search.c).
 *
 * The environment says what to do:
 *
 *     MPROF_OUT        the file; "%p" in it becomes the number of the process
 *     MPROF_COUNT      "off": count when the program or a signal says so
 *     MPROF_SIGNAL     a signal (USR2, or a number) that starts counting, or
 *                      stops it
 *     MPROF_BUDGET     contexts, and ends of chains, at most
 *     MPROF_REACHABLE  find at the end what is lost; the value is the process
 *                      that does (`mprof run')
 *     MPROF_UNFOLDED   set: tell all depths of a recursion apart
 *     MPROF_TEMPORARY  how many allocations may lie between (1; at most 64)
 *     MPROF_WATCHED    set: the image is read while the process runs, and it
 *                      is asked to count, or not to (reduce/images/)
 *     MPROF_ROOT_PID   set by `mprof run': the process that MPROF_OUT is for
 *
 * and whether there is anything to do, see environment.h.  Where it is
 * not to be trusted (environment.h), the program counts when it calls
 * mprof_restart with a name.
 *
 * Forks.  The child, however it was made, begins with nothing counted when it
 * first counts or frees (count/monitor.h), and has a file of its own when
 * it counts something.
 *
 * Privileges.  The file is mapped before the process gives up what it takes
 * to open it, and grows without that.  Once the process filters its system
 * calls, the monitor makes none (process_events.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "c/interpose/interposed.h"

extern struct session {
  pid_t process;      /* that is profiled; 0: none yet */
  pid_t leak_reader;  /* finds at the end what is lost; 0: nobody */
  bool awaits_attach; /* the library was loaded by a debugger */
  bool attached;      /* and counts for it */
  bool has_handlers;  /* at forks and at quick_exit */
  bool has_end;       /* at exit */
} session HIDDEN;

/* ---- session.c ---- */

/* Returns whether the figures are this process's; those between vfork and
 * exec are another one's. */
bool session_is_ours(void);

/* ---- start.c ---- */

/* Follows what the environment says, from now on. */
void session_begin(void);

/* Registers the search for leaks with exit. */
void session_end_at_exit(void);

/* ---- fork.c ---- */

/* Registers what is done before and after a fork. */
void fork_open(void);

/* ---- fatal_signals.c ---- */

/* Handles signals that end the program, and the one in MPROF_SIGNAL. */
void fatal_signals_open(void);

/* ---- leak_search.c ---- */

/* Finds out once, at the beginning, whether a search was requested. */
void leak_search_open(void);

/* Asks `mprof run' to look for what the program has lost, which this thread
 * is about to end, perhaps in a handler of a signal with a few KB of stack.
 * Prints a line when that fails. */
void leak_search_run(void);

/* ---- process_events.c ---- */

/* Functions that have to be bound anew in a process that runs already; the
 * last has no name. */
extern const struct interposed_function process_event_functions[2] HIDDEN;
