/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * choice.h -- which processes are profiled, by the environment:
 *
 *     MPROF_ONLY      names of programs, with commas between them: shell
 *                     patterns for the file, or what it was called by
 *     MPROF_CHILDREN  "no": only the process that MPROF_ROOT_PID names
 *
 * Takes no memory of the program.
 */
#ifndef MPROF_CHOICE_H
#define MPROF_CHOICE_H

#include <stdbool.h>

/* Whether this process is to be profiled. */
bool choice_is_mine(void);

/* Whether programs are chosen by their names, and whether other processes
 * than the first one are left out. */
bool choice_by_name(void);
bool choice_without_children(void);

#endif
