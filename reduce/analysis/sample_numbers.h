/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A choice of samples that somebody else has made, a Lisp function say: a
 * text file with their numbers, in any order, with blanks or newlines between
 * them.  Numbers count the samples of all files read, from zero, as mprof
 * export --format=lisp-contexts gives them.
 */

#ifndef MPROF_SAMPLE_NUMBERS_H
#define MPROF_SAMPLE_NUMBERS_H

#include "base/mprof_error.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets CHOSEN[i], of COUNT, for each number i in the file PATH.  False: the
 * file cannot be read, or holds something else or too large a number. */
bool sample_numbers_read(const char *path, bool *chosen, size_t count,
                         struct mprof_error *error);

#endif
