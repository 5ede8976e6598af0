/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * helper.h -- a function that runs in a process of its own, for which this
 * thread waits.  What it changes of that process, or if it is ended, the
 * program does not see: it has copies of descriptors, limits, handlers of
 * signals and the filter of system calls.  It is no child that the program's
 * wait finds, and sends no signal at its end.
 */
#ifndef MPROF_HELPER_H
#define MPROF_HELPER_H

#include <stdbool.h>

/* Gives back what the function does, which is 0 or an errno value, or one of
 * why there is no helper; EPERM where it was ended.  It has the memory of
 * this process, or a copy.  The caller has blocked all signals. */
int helper_run(int (*function)(void *), void *closure, bool copy);

/* A filter ends the process for the system calls of this: from now on it
 * gives back EPERM. */
void helper_forbid(void);
bool helper_is_forbidden(void);

#endif
