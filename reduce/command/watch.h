/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What looks at a program while `mprof run' runs it: --serve and --ship. Each
 * has a thread of its own, and asks the program by control.h.
 */

#ifndef MPROF_WATCH_H
#define MPROF_WATCH_H

#include "command/command.h"

struct run_files;

/* As program_run, or attach_run where a process is named; meanwhile the
 * profile is served and shipped, if OPTIONS ask for it, and says on standard
 * error where.  At the end what is left is shipped. */
void watch_run(const struct options *options, struct run_files *files,
               struct sink *sink, struct outcome *outcome);

#endif
