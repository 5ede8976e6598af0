/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What looks at a program while `mprof run' runs it: --serve, which has a
 * thread of its own, and asks the program by control.h.
 */

#ifndef MPROF_WATCH_H
#define MPROF_WATCH_H

#include "command/command.h"

struct run_files;

/* Calls program_run, or attach_run where a process is named.  Meanwhile it
 * serves the profile if OPTIONS ask for it, and says on standard error
 * where. */
void watch_run(const struct options *options, struct run_files *files,
               struct sink *sink, struct outcome *outcome);

#endif
