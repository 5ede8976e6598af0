/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a program with the monitor of C programs in it, for mprof run.
 *
 * The program is started with libmprof-malloc.so preloaded and gets the
 * signals that are sent to this process; those of a terminal it gets itself.
 * The two are stopped and continued together by job control.
 */

#pragma once

#include "command/command.h"

/* Fails if there is no program as OPTIONS name, before anything is touched,
 * as program_run would: with MPROF_CANNOT_RUN, and status 126 or 127. */
void program_check(const struct options *options, struct outcome *outcome);

struct run_files;

/* Runs the program that OPTIONS name, which writes to FILES, and waits for
 * its end.  Settles FILES when it has started; fails if it cannot.  Signals
 * stay blocked then (run_signals.h).  OUTCOME gets the status as shells give
 * it (128 + the number of a signal), and the signal. */
void program_run(const struct options *options, struct run_files *files,
                 struct outcome *outcome);

/* A variable of the environment that tells the monitor something; its value
 * is NULL where it tells nothing. */
struct run_setting {
  const char *name, *value;
};
enum { RUN_SETTINGS = 11 };

/* Sets SETTINGS to what RUN says for a program that counts in FILE.  Values
 * are in the pool in use, or those of RUN and FILE. */
void run_settings(const struct run_options *run, const char *file,
                  struct run_setting settings[RUN_SETTINGS]);

/* Sets PATH, of PATH_MAX bytes, to the monitor's library.  Fails if that is
 * missing, or cannot be preloaded since a space or colon is in its path. */
void monitor_find(char *path);

/* Loads the library that serves, for good, and returns the address of its
 * symbol NAME.  Fails if either is missing. */
void *library_load(const char *name);

/* Returns why the program in the file PATH, or the interpreter of the script
 * there, takes no preloaded library, and what to do then: a constant text;
 * NULL when nothing speaks against it, or PATH cannot be read. */
const char *file_reason(const char *path);

/* Returns the same of a program that is run by NAME, sought in PATH; also if
 * its rights speak against it. */
const char *unmonitored_reason(const char *name);

/* ---- a process that runs already, for --pid: attach.c ---- */

/* gdb loads the monitor into it.  Afterwards the process goes on as before,
 * with a library more. */

/* Returns whether the process PID has ended, or never was. */
bool process_has_ended(size_t pid);

/* Fails with MPROF_CANNOT_RUN if the process that OPTIONS name cannot be
 * profiled, as far as that is known before anything is touched. */
void attach_check(const struct options *options);

/* Tells FILES whether the process that OPTIONS name has ECL in it, objects of
 * whose collector are not seen; and opens its program, so that it can be read
 * when its file has been deleted, until the pool in use is released. */
void attach_prepare(const struct options *options, struct run_files *files);

/* Profiles the process that OPTIONS name, until a signal that ends processes,
 * the seconds that they say, or its end; it writes to FILES, which are
 * settled when it has begun.  A line on that goes to SINK, unless OPTIONS say
 * quiet.  Fails with MPROF_CANNOT_RUN if it cannot begin or end.  Signals
 * stay blocked then (run_signals.h). */
void attach_run(const struct options *options, struct run_files *files,
                struct sink *sink);
