/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a program with the monitor of C programs in it, for mprof run.
 *
 * The program is started with libmprof-malloc.so preloaded and gets the
 * signals that are sent to this process; those of a terminal it gets itself.
 * The two are stopped and continued together by job control.
 */

#ifndef MPROF_RUN_PROGRAM_H
#define MPROF_RUN_PROGRAM_H

#include "command/options.h"
#include "base/mprof_error.h"

#include <stdbool.h>
#include <sys/types.h>

/* What became of the program. */
struct program_end {
  pid_t process;
  int status; /* as a shell gives it: 128 + the number of a signal */
  int signal; /* that ended it, or 0 */
};

/* Whether there is such a program as OPTIONS name, before anything is
 * touched; else ERROR says so, as program_run would. */
bool program_exists(const struct options *options, struct mprof_error *error);

/* Runs the program that OPTIONS name, which writes to FILE, an absolute path,
 * and waits for its end.  False: it was not started, ERROR says why, with the
 * exit status that shells give. */
bool program_run(const struct options *options, const char *file,
                 struct program_end *end, struct mprof_error *error);

/* Sets PATH, of PATH_MAX bytes, to where exec finds the program NAME; false,
 * with errno set, when it is not there or may not be executed. */
bool program_find(const char *name, char *path);

#endif
