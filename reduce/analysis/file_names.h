/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions that have their name from their source file.
 *
 * What stands in a top-level form and defines nothing is called after the
 * file, without its folder: (LAMBDA :IN (LOAD "package.lisp")).  A program
 * may have many files of that name, and no other function of two files shares
 * a name.
 */

#ifndef MPROF_FILE_NAMES_H
#define MPROF_FILE_NAMES_H

#include "analysis/frames.h"

/* Whether NAME is such a function's. */
bool is_named_after_file(const char *name);

/* Tells apart the functions of TABLE that are named after different files of
 * one name: each shows the shortest end of its path that no other has, as in
 * (LOAD "lib/package.lisp").  False when memory runs out. */
bool file_names_distinguish(struct frame_table *table);

#endif
