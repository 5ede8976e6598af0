/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was never freed, and is no leak: in C programs, by mprof's profiles,
 * what the C and C++ libraries keep until a program ends, such as buffers of
 * stdio; and what a file of the user's says (lines leak:PATTERN, as
 * LeakSanitizer has them).
 *
 * A chain is suppressed when some function of it, its source file, or the
 * file of its code matches a pattern: in any part, unless that begins with ^
 * or ends in $; a * stands for any text.
 *
 * What the libraries keep is known by a function of theirs, such as
 * setlocale.  What that allocates itself, or has others of these libraries
 * allocate, is theirs; what it calls of the program, such as the constructor
 * of a library that dlopen loads, is not.
 */

#pragma once

#include "analysis/view_options.h"
#include "profile/profile.h"

/* Patterns, of suppressions.txt and of the user's file. */
struct suppressions { /* all zero: empty */
  struct pattern *patterns;
  size_t count, capacity;
};

/* Returns the patterns of suppressions.txt. */
struct suppressions suppressions_of_libraries(void);

/* Returns whether PATH is a C or C++ library of LIST, by the name of the
 * file. */
bool suppressions_know_library(const struct suppressions *list,
                               const char *path);

/* Reads the file of suppressions that OPTIONS name, if any.  Fails with
 * MPROF_CANNOT_READ if it cannot be read, or has a line of another form. */
void suppressions_check(const struct view_options *options);

/* Returns an array, by node of PROFILE, of whether its chain is suppressed;
 * NULL if there are no patterns.  Fails as suppressions_check does. */
bool *suppressions_find(const struct profile *profile,
                        const struct view_options *options);
