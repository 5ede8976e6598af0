/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * process_selection.h -- which processes are profiled, by the environment:
 *
 *     MPROF_ONLY      names of programs, with commas between them: shell
 *                     patterns for the file, or what it was called by
 *     MPROF_CHILDREN  "no": only the process that MPROF_ROOT_PID names
 *
 * Takes no memory of the program.
 */
#ifndef MPROF_PROCESS_SELECTION_H
#define MPROF_PROCESS_SELECTION_H

#include <stdbool.h>

/* Whether this process is to be profiled. */
bool process_selection_includes_this(void);

/* Return whether programs are chosen by name, or child processes left out. */
bool process_selection_by_name(void);
bool process_selection_excludes_children(void);

#endif
