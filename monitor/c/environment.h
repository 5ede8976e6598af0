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

/* Take `lines' as the settings instead, NAME=VALUE with a newline behind
 * each, which are copied; nothing is put into the environment any more.
 * False: there is no memory. */
bool environment_replace(const char *lines);

/* Returns whether the environment may say what this program does.  It may not
 * where the kernel gave the program rights that its caller lacks (AT_SECURE:
 * set-user-ID, set-group-ID, file capabilities), as the caller chose it. */
bool environment_is_trusted(void);

/* Returns the value of the setting, or NULL.  In an environment that is not
 * trusted there are no settings. */
const char *environment_value(const char *name);

/* Returns the value of the variable in an environment of now, or NULL. */
const char *environment_find(char *const *environment, const char *name);

/* Returns the number in the setting; `missing' where there is none. */
unsigned long environment_number(const char *name, unsigned long missing);

/* Put `assignment' (NAME=VALUE, which is kept) into the environment.  Only
 * for one variable, and before there are threads. */
void environment_set(char *assignment);

/* ---- which processes count ----
 *
 *     MPROF_ONLY      names of programs, with commas between them: shell
 *                     patterns for the file, or what it was called by
 *     MPROF_CHILDREN  "no": only the process that MPROF_ROOT_PID names */

/* Returns whether this process is to be profiled. */
bool process_selection_includes_this(void);

/* Return whether programs are chosen by name, or child processes left out. */
bool process_selection_by_name(void);
bool process_selection_excludes_children(void);
