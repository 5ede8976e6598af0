/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Another program as a filter: it gets text and its output is passed on.  No
 * shell is involved.
 */

#ifndef MPROF_FILTER_PROGRAM_H
#define MPROF_FILTER_PROGRAM_H

#include "base/mprof_error.h"
#include "base/sink.h"

#include <stddef.h>

/* Runs ARGUMENTS (NULL-terminated; the first is looked for in PATH) with
 * LENGTH bytes of TEXT as its standard input and copies its standard output
 * to SINK, whose failures are its owner's to find.  False when the program
 * could not be run, or failed: ERROR says why, with the first line that it
 * wrote to its standard error; when there is no such program, MISSING is
 * said. */
bool filter_program(const char *const *arguments, const char *text,
                    size_t length, const char *missing, struct sink *sink,
                    struct mprof_error *error);

#endif
