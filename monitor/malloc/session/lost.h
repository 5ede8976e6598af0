/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lost.h -- whether the last profile of a process says what the process has
 * lost (malloc/reach/), and if not why.
 */
#ifndef MPROF_LOST_H
#define MPROF_LOST_H

#include <stdbool.h>

struct code_objects;
struct stopped_thread;

/* Whether it was asked for.  Once, when the monitor begins. */
void lost_open(void);

/* The profile that is saved until lost_end is the last one, in this process;
 * `here' is this thread. */
void lost_begin(const struct stopped_thread *here);

/* Whether it is to say it. */
bool lost_is_wanted(void);

/* Seek it.  All is locked; `code' is what is loaded. */
void lost_seek(const struct code_objects *code);

/* Gives back why it was not sought, or NULL. */
const char *lost_end(void);

#endif
