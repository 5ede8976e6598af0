/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which program exec would start, and whether it starts without the monitor:
 * some programs take the place of malloc themselves, and cannot run, or judge
 * wrongly, behind a library that is preloaded before theirs.
 *
 * Takes no memory, and may be called between vfork and exec.
 */

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

/* Returns why the program in the file PATH, or the interpreter of the script
 * there, starts without the monitor, and what to do, as a static text.
 * Returns NULL if it starts with the monitor, or cannot be read. */
const char *program_starts_alone(const char *path);
