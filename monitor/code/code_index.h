/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_index.h -- which function an address is in, and what it is called.
 *
 * Model.  A *function* is a number with a durable name: it outlives the code
 * that it names.  The index is a sorted array of the addresses where
 * functions begin, made outside the hook from
 *   - the tables that the patched compiler puts into compiled Lisp code,
 *   - the symbol tables of all shared objects (C names),
 *   - the runtime's own table of Lisp symbols (core functions),
 * and published with one store.  The hook only ever reads.
 *
 * Functions whose name is a Lisp object (byte-compiled code) get numbers
 * through code_index_object.
 *
 * This is the interface of several files: code_index (the sorted array),
 * code_entries, code_module and code_names (what goes into it),
 * function_table and kept_objects (numbers and names), clos_dispatch.
 *
 * Not done here: printing Lisp names (lisp_name), line numbers (source_line).
 */
#ifndef MPROF_CODE_INDEX_H
#define MPROF_CODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "profile/phase.h"
#include "walk/call_site.h"

struct code_function {
  const char *name;        /* as people read it, UTF-8 */
  const char *system_name; /* C symbol, "" when there is none */
  const char *file;        /* source, or NULL */
  int file_position;       /* in bytes, -1: not known */
  bool runtime;            /* C function of the runtime without Lisp name */
  bool root;               /* MPROF_ROOT_FUNCTION */
  enum phase_role phase_role;
  bool calls_known;        /* they are counted: its frames have a word */
  bool passes_on;          /* a function of CLOS that only calls a method */
};

/* Make or renew the index; call once before counting, and again when code was
 * loaded.  Reads the symbol tables of new shared objects (milliseconds).
 * Gives back 0, or -1 when memory ran out. Not inside the hook. */
int code_index_update(void);

/* The number of the function that makes the call with return address
 * `address'; 0: not known.  Inside the hook. */
uint32_t code_index_function_at(uintptr_t address);

/* What walks have to know of it.  Inside the hook. */
call_site code_index_call_site(uintptr_t ip);

/* The number of the function whose name is the Lisp object `name'; keeps the
 * object alive.  0 when the table is full.  Inside the hook. */
uint32_t code_index_object(cl_object name);

/* How often that was 0: as many calls are missing from chains. */
uint64_t code_index_lost_calls(void);
void code_index_forget_lost_calls(void);

/* Keep `object' alive until the process ends, so that its address stays its
 * own (names, classes); does nothing when the table is full.  Inside the
 * hook. */
void code_index_keep(cl_object object);

/* What reports do with a function. */
enum code_role {
  ROLE_SHOWN,
  ROLE_RUNTIME,  /* hidden by default */
  ROLE_ROOT      /* MPROF_ROOT_FUNCTION */
};

/* The role of the function with this number.  Inside the hook. */
enum code_role code_index_role(uint32_t number);

/* What it means to the phases.  Inside the hook. */
enum phase_role code_index_phase_role(uint32_t number);

/* The function that `function' is when `caller' calls it: the same, but for
 * the APPLY by which functions of CLOS call methods.  That is a part of
 * them, a function of the runtime: shown, one APPLY would stand above every
 * method and below every caller of one, and make a cycle of them all.  Inside
 * the hook. */
uint32_t code_index_called(uint32_t function, uint32_t caller);

/* Whether it is one of the two. */
bool code_index_is_apply(uint32_t function);

/* The APPLY that is a part of its caller (see code_index_called); 0 before
 * the first code_index_update. */
uint32_t code_index_passing_apply(void);

/* The function with this number, or NULL.  Names of objects are printed on
 * the first call: not inside the hook. */
const struct code_function *code_index_function(uint32_t number);

/* The name of the I-th shared object whose Lisp code was not compiled with
 * the flags of this ECL, or NULL.  Its chains may lack functions that the C
 * compiler inlined or left by a jump.  Not inside the hook. */
const char *code_index_other_flags(size_t i);

/* Print the names of the objects that were kept since the last time; with
 * `classes', of all classes again, for these may get other names.  Asks for
 * the runtime's lock on packages, so that no thread that may hold it must be
 * waiting for the caller.  Not inside the hook; one thread at a time. */
void code_index_print_names(bool classes);

/* Whether there are names that the above has not printed. */
bool code_index_names_wait(void);

/* The name of a class that was given to code_index_keep, as printed last;
 * NULL when it was not kept, and then the class may be gone, or when memory
 * ran out.  Not inside the hook. */
const char *code_index_class_name(cl_object clas);

/* The addresses of the shared object that was loaded at `base'; both 0 when
 * it is not known. */
void code_index_range(uintptr_t base, uintptr_t *start, uintptr_t *end);

/* The shared object at `base' is about to be unmapped: forget its addresses,
 * keep its names.  Not inside the hook. */
void code_index_unload(uintptr_t base);

#endif
