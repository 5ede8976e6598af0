/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Other programs at work for this one: dot, gdb.  No shell is involved. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes a file in memory that holds LENGTH bytes of TEXT, to be read from the
 * beginning; it is closed with the pool in use.  Returns its descriptor, or
 * -1 and errno. */
int child_file(const char *text, size_t length);

/* Starts the program ARGUMENTS, the last of which is NULL, as *CHILD; its
 * standard streams are STREAMS.  One that is APART gets no signals from a
 * terminal, and ignores none.  Returns 0 or an errno value. */
int child_start(const char *const *arguments, const int streams[3],
                bool apart, pid_t *child);

/* Waits for the end of CHILD.  Returns whether it succeeded; also if somebody
 * else has waited for it. */
bool child_end(pid_t child);
