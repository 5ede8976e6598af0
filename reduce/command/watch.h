/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What looks at a program while `mprof run' runs it: --serve, which has a
 * thread of its own, and asks the program by control.h.
 */

#pragma once

#include "command/command.h"

struct run_files;

/* Serves the profile of the program of OPTIONS and FILES from now on, where
 * --serve says, and says so on standard error.  What is behind the last colon
 * is the port, and what is before it an address: 6060, 0.0.0.0:6060,
 * [::1]:6060. */
struct watch *watch_serve(const struct options *options,
                          struct run_files *files);

/* Ends that: the program has ended, or has not begun. */
void watch_close(struct watch *watch);
