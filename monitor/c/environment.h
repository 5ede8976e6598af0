/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * environment.h -- the settings in the environment, and which processes they
 * say are profiled.
 *
 * None of this calls the C library's functions for the environment: a program
 * may have its own (bash has), which allocate when they are first called.
 *
 * The settings are LD_PRELOAD and the variables that begin with MPROF_.  They
 * are read once, when the program is loaded, as it may clear its environment,
 * move it, or write over it (setproctitle) afterwards. */
#pragma once

#include <stdbool.h>

/* Replaces the settings by a copy of `lines', NAME=VALUE with a newline
 * behind each; environment_set does nothing any more.  Returns false, with
 * the settings unchanged, if there is no memory. */
bool environment_replace(const char *lines);

/* Returns whether the environment may say what this program does.  It may not
 * where the kernel gave the program rights that its caller lacks (AT_SECURE:
 * set-user-ID, set-group-ID, file capabilities), as the caller chose it. */
bool environment_is_trusted(void);

/* Returns the value of the setting, or NULL; it is valid until
 * environment_replace.  There are no settings in an environment that is not
 * trusted. */
const char *environment_value(const char *name);

/* Returns the decimal number in the setting; `missing' if that is not set or
 * empty, 0 if it is no number. */
unsigned long environment_number(const char *name, unsigned long missing);

/* Puts `assignment' (NAME=VALUE) itself into the environment, so it must
 * stay.  Only for one variable, and before there are threads.  Does nothing
 * if there is no memory. */
void environment_set(char *assignment);

/* ---- which processes count ----
 *
 *     MPROF_ONLY      names of programs, with commas between them: shell
 *                     patterns for the file, or what it was called by
 *     MPROF_CHILDREN  "no": only the process that MPROF_ROOT_PID names */

/* Returns whether this process is to be profiled. */
bool process_selection_includes_this(void);

/* Return whether MPROF_ONLY is set; and whether MPROF_CHILDREN is "no". */
bool process_selection_by_name(void);
bool process_selection_excludes_children(void);
