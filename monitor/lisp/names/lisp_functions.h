/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_functions.h -- the functions of a Lisp program: their names and frame
 * words, as compiled code and the runtime tell them, and which one a call
 * site is in.
 *
 * A site is what context_tree.h says: an address in code, or one of the
 * numbers that stand for one.
 *
 * APPLY counts as two functions.  Functions of CLOS call methods by it, and
 * that APPLY is a part of them, a function of the runtime: shown, one APPLY
 * would stand above every method and below every caller of one, and make a
 * cycle of them all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "lisp/names/code_functions.h"

/* Gives names and frame words to the functions of the runtime and of all
 * files that are loaded; lisp_functions_add does so for one file that is
 * being loaded.  Functions beyond the room for numbers get none.  Not inside
 * the hook; one thread at a time.
 *
 * Writes a comment on each shared object whose Lisp code was not compiled
 * with the flags of this ECL: chains may lack functions in it that the C
 * compiler inlined or left by a jump. */
void lisp_functions_open(void);
void lisp_functions_add(const struct ecl_function_names *file);

/* Returns the number of the function that a site is in when it is called by
 * the function `caller', with its role and FUNCTION_HIDDEN or FUNCTION_ROOT
 * (a context_tree_function_fn).  Inside the hook. */
uint32_t site_function_in_tree(uint64_t site, uint32_t caller);

/* Returns true if the function of that number is APPLY, so that a site in it
 * has another function for some callers.  Inside the hook. */
bool site_function_depends(uint32_t function);
