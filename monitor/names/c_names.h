/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * c_names.h -- the names of C functions, from the symbol table of the file
 * that has them.
 *
 * Model.  The functions of one file that lack a name are sorted by address;
 * then the file's symbols are read once, and each names those that it covers.
 * What no symbol covers is called after the file.
 *
 * Not inside the hook, nor while another thread is.  Which functions lack a
 * name is not asked here: code_functions.c knows.
 */
#ifndef MPROF_C_NAMES_H
#define MPROF_C_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code_objects.h"
#include "names/code_functions.h"

/* A function that lacks its C name, and the symbol that it has it from. */
struct nameless {
  struct code_function *function;
  uintptr_t symbol; /* 0: none yet */
};

/* Name `count' functions of `file', which is the program itself or a library.
 * Sorts them.  The names are from malloc, and stay. */
void c_names_give(struct nameless *functions, size_t count,
                  const struct code_object *file, bool program);

#endif
