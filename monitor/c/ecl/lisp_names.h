/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_names.h -- Lisp names of functions and classes.
 *
 * Names are taken when a function is made or defined: of C code by where it
 * begins, so that a function of the tree keeps it when the code is gone.
 * Byte-compiled functions are sites of their own, SITE_OBJECT | the number of
 * their name.
 *
 * Functions of methods have no name when they are made, and get it when the
 * method is defined.  Local ones get theirs in the end.
 */
#ifndef MPROF_LISP_NAMES_H
#define MPROF_LISP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "lisp/names/lisp_printer.h"

/* ---- names by number; 0: there is none, or no memory ---- */

enum { LISP_NAME_BYTES = 1024 }; /* of those that are printed */

/* The number of a text, and the text with that number.  May run inside the
 * hook. */
uint32_t lisp_names_intern(const char *text);
const char *lisp_names_text(uint32_t name);

/* ---- functions ---- */

/* By their numbers in the tree. */
struct lisp_function {
  uintptr_t start; /* where its code begins, or began; 0: not known */
  uint32_t name;   /* number */
  uint32_t maker;  /* number of the function that made an object of it; 0:
                      none, or it has a name */
};

/* The function with that number, perhaps with flags; an empty one if there is
 * none. */
struct lisp_function *lisp_function_at(uint32_t number);

/* The number of its name, whose text is there then. */
static inline uint32_t
lisp_function_named(const struct lisp_function *f)
{
  return __atomic_load_n(&f->name, __ATOMIC_ACQUIRE);
}

/* Where the code of a compiled function begins; 0: it is another object. */
uintptr_t lisp_function_code(cl_object function);

/* The function gets a name, if that is to show.  False: it does not. */
bool lisp_function_name(uint32_t number, uint32_t name);

/* A byte-compiled function is that of a method with this name; the number of
 * the name of one.  May run inside the hook. */
void lisp_bytecodes_name(cl_object bytecodes, uint32_t name);
uint32_t lisp_bytecodes_number(cl_object bytecodes);

/* Note all types of ECL's objects, and names from now on. */
void lisp_names_open(void);

void lisp_names_forked(void); /* in the child of a fork */

/* ---- classes ---- */

/* The number of a class, at most LISP_CLASSES; 0: none. */
uint32_t lisp_names_class(cl_object class);

/* ---- calls ----
 *
 * What the calls in code that was compiled say of functions: those which left
 * their frame to another one, and local ones.
 *
 * Tail calls.  A function that ends in a call jumps, and what it calls
 * returns to its caller.  But the call there has its address: if another
 * function runs below, it is put between.  (Only the first of several that
 * jumped is known.)
 *
 * Local functions have no names.  One is in the function that made an object
 * of it.  If none was made, it is in the function that calls it directly, or
 * beside it.
 *
 * All that is in the code is read in the end, before ECL closes its
 * libraries.
 */

/* The process is at its regular end: name local functions, and note which
 * functions left their frame to the one that they called, or to an allocator.
 * With malloc_monitor_inside set. */
void lisp_calls_note(void);

#endif
