/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiling a process that runs already, for mprof run --pid.
 *
 * gdb loads the monitor into it.  Afterwards the process goes on as before,
 * with a library more.
 */

#pragma once

#include "command/command.h"

#include <stdbool.h>
#include <sys/types.h>

struct run_files;

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
