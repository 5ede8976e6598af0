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
 *     MPROF_BUDGET     limit of contexts, and of leaves (8 million)
 *     MPROF_REACHABLE  find at the end what is lost; the value is the process
 *                      that does (`mprof run')
 *     MPROF_UNFOLDED   set: tell all depths of a recursion apart
 *     MPROF_TEMPORARY  N (1; at most 64): an object is temporary if it is
 *                      freed before its thread's Nth next allocation
 *     MPROF_WATCHED    set: the image is read while the process runs, and it
 *                      is asked to count, or not to (reduce/images/)
 *     MPROF_ROOT_PID   set by `mprof run': the process that MPROF_OUT is for
 *
 * environment.h has those that choose processes.  Where it says that the
 * environment is not trusted, the program counts when it calls mprof_restart
 * with a name.
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
#include <sys/types.h>

#include "base/attributes.h"
#include "c/interpose/interposed.h"

extern struct session {
  pid_t leak_reader;  /* finds lost objects at the end; 0: nobody does */
  bool awaits_attach; /* a debugger loaded the library (mprof_attach) */
  bool attached;      /* mprof_attach was called, and mprof_detach was not */
  bool has_end;       /* session_end_at_exit was called */
} session HIDDEN;

/* ---- session.c ---- */

/* Returns whether this process is profiled and may make system calls; false
 * between vfork and exec, where the figures are the parent's. */
bool session_is_ours(void);

/* ---- start.c ---- */

/* Follows what the environment says, from now on. */
void session_begin(void);

/* Registers the search for leaks with exit.  Does nothing the second time. */
void session_end_at_exit(void);

/* ---- fatal_signals.c ---- */

/* Handles signals that end the program, and the one in MPROF_SIGNAL. */
void fatal_signals_open(void);

/* ---- leak_search.c ---- */

/* Reads MPROF_REACHABLE; if that requests a search, has all objects listed
 * and tells the reader in the image where they are. */
void leak_search_open(void);

/* Asks `mprof run' to look for lost objects, and waits for the end of the
 * search.  Does nothing if none is requested; prints a line if it fails.  May
 * run in a handler of a signal with a few KB of stack. */
void leak_search_run(void);

/* ---- process_events.c ---- */

/* Functions that rebind_slots binds anew in a process that is attached to,
 * with one more element that ends the array. */
extern const struct interposed_function process_event_functions[2] HIDDEN;
