/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a program with the monitor of C programs in it, for mprof run.
 *
 * The program is started with libmprof-malloc.so preloaded and gets the
 * signals that are sent to this process; those of a terminal it gets itself.
 * The two are stopped and continued together by job control.
 */

#pragma once

#include "command/command.h"

/* Fails where there is no program as OPTIONS name, before anything is
 * touched, as program_run would. */
void program_check(const struct options *options, struct outcome *outcome);

struct run_files;

/* Runs the program that OPTIONS name, which writes to FILES, and waits for
 * its end.  Settles FILES when it has started.  Signals stay blocked then
 * (run_signals.h).  OUTCOME gets the status as shells give it (128 + the
 * number of a signal), and the signal. */
void program_run(const struct options *options, struct run_files *files,
                 struct outcome *outcome);

/* A variable of the environment that tells the monitor something; its value
 * is NULL where it tells nothing. */
struct run_setting {
  const char *name, *value;
};
enum { RUN_SETTINGS = 11 };

/* Sets SETTINGS to what RUN says for a program that counts in FILE; the text
 * is in the pool in use. */
void run_settings(const struct run_options *run, const char *file,
                  struct run_setting settings[RUN_SETTINGS]);

/* Sets PATH, of PATH_MAX bytes, to the monitor's library, which can be
 * preloaded. */
void monitor_find(char *path);

/* Loads the library that serves, and returns what it calls NAME. */
void *library_load(const char *name);

/* Why the program in the file PATH, or that which the script there names,
 * takes no library, as below. */
const char *file_reason(const char *path);

/* Why a program that was run by NAME takes no preloaded library, and what to
 * do then; NULL when nothing speaks against it. */
const char *unmonitored_reason(const char *name);

/* ---- a process that runs already, for --pid: attach.c ---- */

/* gdb loads the monitor into it.  Afterwards the process goes on as before,
 * with a library more. */

/* Returns the state of the process as the kernel's letter; 0: it is not
 * there. */
char process_state(size_t pid);

/* Returns whether STATE is that of a process that has ended. */
bool process_state_is_end(char state);

/* Fails where the process that OPTIONS name cannot be profiled, as far as
 * that is known before anything is touched. */
void attach_check(const struct options *options);

/* Opens the program of a process that runs already, until the pool in use is
 * released.  Returns a path to it that stays good when the file is deleted;
 * NULL where OPTIONS name no process, or the program cannot be opened. */
const char *attach_program(const struct options *options);

/* Returns whether OPTIONS name a process that has ECL in it, whose collector
 * is not seen. */
bool attach_sees_ecl(const struct options *options);

/* Profiles the process that OPTIONS name, until a signal that ends processes,
 * the seconds that they say, or its end; it writes to FILES, which are
 * settled when it has begun.  SINK is told of that.  Signals stay blocked
 * then (run_signals.h). */
void attach_run(const struct options *options, struct run_files *files,
                struct sink *sink);
