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
 * FOLDERS, the value of PATH or NULL; false, with errno set, when it is not
 * there or may not be executed.  PATH needs no more room than a folder, a
 * slash and NAME. */
bool program_find(const char *name, const char *folders, char *path);

enum { INTERPRETER_BYTES = 256 }; /* as in the kernel */

/* Sets INTERPRETER, of INTERPRETER_BYTES, to the program that the script open
 * as DESCRIPTOR names; false when the file is no script. */
bool program_interpreter(int descriptor, char *interpreter);

/* Why the program in the file PATH, or the interpreter of the script there,
 * starts without the monitor, and what to do; NULL when it starts with it. */
const char *program_starts_alone(const char *path);
