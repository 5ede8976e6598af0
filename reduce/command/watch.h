/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What looks at a program while `mprof run' runs it: --serve, which has a
 * thread of its own, and asks the program by control.h.
 */

#ifndef MPROF_WATCH_H
#define MPROF_WATCH_H

#include "command/command.h"

struct run_files;

/* Returns what can look at the program of OPTIONS and FILES, in the pool in
 * use. */
struct watch *watch_open(const struct options *options,
                         struct run_files *files);

/* Serves the profile at WHERE from now on, and says on standard error where.
 * What is behind the last colon of WHERE is the port, and what is before it
 * an address: 6060, 0.0.0.0:6060, [::1]:6060. */
void watch_serve(struct watch *watch, const char *where);

/* Ends that: the program has ended, or has not begun. */
void watch_close(struct watch *watch);

#endif
