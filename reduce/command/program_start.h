/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which program exec would start. */

#pragma once

#include <stdbool.h>

/* Sets PATH, of PATH_MAX bytes, to where exec finds the program NAME in
 * FOLDERS, the value of the variable PATH or NULL.  Returns false, with errno
 * set, if it is not there or may not be executed. */
bool program_find(const char *name, const char *folders, char *path);

enum { INTERPRETER_BYTES = 256 }; /* as in the kernel */

/* Sets INTERPRETER, of INTERPRETER_BYTES, to the program that the script open
 * as DESCRIPTOR names.  Returns false if the file is no script. */
bool program_interpreter(int descriptor, char *interpreter);
