/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control.h -- `mprof run' asks this process while it runs: for its figures,
 * for a profile of now, to count or not to (common/control_page.h).
 *
 * A thread answers, and sleeps until it is asked; without MPROF_CONTROL there
 * is none.  It blocks all signals, takes no memory of the program, holds none
 * of its locks or those of the C library, and has no descriptor.
 *
 * The program's threads wait while it takes the figures, but not until they
 * are written (malloc_snapshot.h).  Who writes a file or unloads code does.
 *
 * Children do not answer: neither the child of a fork nor other programs that
 * the process starts.  What the process becomes by exec does.
 */
#ifndef MPROF_CONTROL_H
#define MPROF_CONTROL_H

/* Answer, if the environment says so. */
void control_begin(void);

/* Answer no more; `why' is told to who asks then. */
void control_end(const char *why);

/* The process is about to do what one with several threads may not; it has
 * done so. */
void control_pause(void);
void control_resume(void);

/* Around a fork: in this process, or in the child. */
void control_before_fork(void);
void control_after_fork(void);
void control_forked(void);

#endif
