/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a program with the monitor of C programs in it, for mprof run.
 *
 * The program is started with libmprof-malloc.so preloaded and gets the
 * signals that are sent to this process; those of a terminal it gets itself.
 * The two are stopped and continued together by job control.
 */

#pragma once

#include "command/command.h"

#include <signal.h>

/* Fails if there is no program as OPTIONS name, before anything is touched,
 * as program_run would: with MPROF_CANNOT_RUN, and status 126 or 127. */
void program_check(const struct options *options, struct outcome *outcome);

struct run_files;

/* Runs the program that OPTIONS name, which writes to FILES, and waits for
 * its end.  Settles FILES when it has started; fails if it cannot.  Signals
 * stay blocked then (below).  OUTCOME gets the status as shells give
 * it (128 + the number of a signal), and the signal. */
void program_run(const struct options *options, struct run_files *files,
                 struct outcome *outcome);

/* A variable of the environment that tells the monitor something; its value
 * is NULL where it tells nothing. */
struct run_setting {
  const char *name, *value;
};

/* Returns what RUN says for a program that counts in FILE; the name behind
 * the last is NULL.  All is in the pool in use, or of RUN and FILE. */
const struct run_setting *run_settings(const struct run_options *run,
                                       const char *file);

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

/* Returns the state of the process PID as the kernel's letter, 0 if there is
 * no such process. */
char process_state(size_t pid);

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
 * stay blocked then (below). */
void attach_run(const struct options *options, struct run_files *files,
                struct sink *sink);

/* ---- signals: run_signals.c ---- */

/* From the start of the program on, all signals stay blocked until mprof has
 * ended: none ends it before its files are complete, none stops it while it
 * writes to the terminal from the background, and a pipe that nobody reads
 * or a limit of a file's size is an error of the call.  Signals are waited
 * for and not handled, so nothing here is global.
 */

/* Blocks all signals of the calling thread.  Sets *BEFORE, unless BEFORE is
 * NULL, to its mask before. */
void run_signals_block(sigset_t *before);

/* Waits for the end of CHILD and returns its status as waitpid has it, or 0
 * if that is unknown.  All signals are blocked in the thread.  Passes on to
 * CHILD all signals but SIGCHLD, those that mprof run uses itself, and those
 * that a terminal sends, since CHILD gets these too.  When CHILD stops, this
 * process stops as well, as it is the job for whoever started it; when one of
 * them goes on, so does the other.  When SERVES is true, it goes on to serve a
 * CHILD that SIGSTOP stops. */
int run_signals_wait_child(pid_t child, bool serves);

/* Stops this process by the signal NUMBER, which is blocked before and
 * afterwards, until SIGCONT. */
void run_signals_stop(int number);

/* Waits for at most NANOSECONDS, less than a second, for a signal that would
 * end this process by default; returns whether one has come.  One that the
 * process was started to ignore, as by nohup, is none; but a shell lets a job
 * in the background ignore SIGINT and SIGQUIT, and these count when somebody
 * sends them on purpose.  Stops for a signal that stops by default. */
bool run_signals_end(long nanoseconds);
