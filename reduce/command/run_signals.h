/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signals while mprof run has a program or a process.
 *
 * From the start of the program on, all signals stay blocked until mprof has
 * ended: none ends it before its files are complete, none stops it while it
 * writes to the terminal from the background, and a pipe that nobody reads
 * or a limit of a file's size is an error of the call.  Signals are waited
 * for and not handled, so nothing here is global.
 */

#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Blocks all signals of the calling thread.  Sets *BEFORE, unless BEFORE is
 * NULL, to its mask before. */
void run_signals_block(sigset_t *before);

/* Waits for the end of CHILD and returns its status as waitpid has it, or 0
 * if that is unknown.  All signals are blocked in the thread.  Passes on to
 * CHILD all signals but SIGCHLD, those that mprof run uses itself, and those
 * that a terminal sends, since CHILD gets these too.  When job control stops
 * CHILD, this process stops as well, as it is the job for whoever started it;
 * when it goes on, so does CHILD.  A CHILD that is stopped by SIGSTOP is no
 * matter of job control. */
int run_signals_wait_child(pid_t child);

/* Stops this process by the signal NUMBER, which is blocked before and
 * afterwards, until SIGCONT. */
void run_signals_stop(int number);

/* Waits for at most NANOSECONDS, less than a second, for a signal that would
 * end this process by default; returns whether one has come.  One that the
 * process was started to ignore, as by nohup, is none; but a shell lets a job
 * in the background ignore SIGINT and SIGQUIT, and these count when somebody
 * sends them on purpose.  Stops for a signal that stops by default. */
bool run_signals_end(long nanoseconds);
