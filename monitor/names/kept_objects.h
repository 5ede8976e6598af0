/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.h -- Lisp objects that stay alive, because their address is
 * their name: names of byte-compiled functions, and classes.
 */
#ifndef MPROF_KEPT_OBJECTS_H
#define MPROF_KEPT_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "common/phase.h"

struct note_list;

enum {
  KEPT_OBJECTS = 1 << 19,        /* the largest limit */
  FUNCTION_OBJECT_BASE = 1 << 24 /* above all numbers of compiled functions */
};

/* Make the table, for `limit' objects; only the first call does anything.
 * Gives back 0, or -1 when memory ran out. */
int kept_objects_reserve(uint32_t limit);

/* Keep `object' alive until the process ends, so that its address stays its
 * own; does nothing when the table is full.  Inside the hook. */
void kept_objects_add(cl_object object);

/* The number of the function whose name is `name', from FUNCTION_OBJECT_BASE
 * on; keeps the object alive.  0 when the table is full.  Inside the hook. */
uint32_t kept_objects_function(cl_object name);

/* How often that was 0: as many calls are missing from chains. */
uint64_t kept_objects_lost_calls(void);
void kept_objects_forget_lost_calls(void);

/* What the function with such a number means to the phases; ROLE_NEUTRAL when
 * there is none.  Inside the hook. */
enum phase_role kept_objects_role(uint32_t number);

/* Is it the local function CALL-NEXT-METHOD of a method, which only passes its
 * arguments on?  Inside the hook. */
bool kept_objects_is_next_method(uint32_t number);

/* Print the names of the objects that were kept since the last time; with
 * `classes', of all classes again, for these may get other names.  Not inside
 * the hook; one thread at a time. */
void kept_objects_print_names(bool classes);

/* Let the image of the process, if it has one, know the names that were
 * printed since the last time; of `all', those before too. */
void kept_objects_note(bool all);

/* Note the name of a function with such a number in `notes', or that of a
 * class, if it is kept. */
void kept_objects_note_function(struct note_list *notes, uint32_t number);
void kept_objects_note_class(struct note_list *notes, cl_object clas);

/* Whether there are names that the above has not printed. */
bool kept_objects_names_wait(void);

#endif
