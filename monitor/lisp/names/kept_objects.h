/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.h -- Lisp objects that stay alive, because their address is
 * their name: names of byte-compiled functions, and classes. */
#pragma once

#include <stdint.h>

#include <ecl/ecl.h>

struct note_list;

enum {
  KEPT_OBJECTS = 1 << 19,        /* at most */
  FUNCTION_OBJECT_BASE = 1 << 24 /* above all numbers of compiled functions */
};

/* Make the table.  Gives back 0, or -1 when memory ran out. */
int kept_objects_open(void);

/* Keep `object' alive until the process ends, so that its address stays its
 * own.  Gives back its place; 0, and does nothing, when the table is full.
 * Inside the hook. */
uint32_t kept_objects_add(cl_object object);

/* Returns the number of the function whose name is `name', from
 * FUNCTION_OBJECT_BASE on; keeps the object alive.  0 when the table is full.
 * Inside the hook. */
uint32_t kept_objects_function(cl_object name);

/* Returns how often that was 0: as many calls are missing from chains. */
uint64_t kept_objects_lost_calls(void);
void kept_objects_forget_lost_calls(void);

/* Returns the role and the flags of the function with such a number
 * (context_tree_function_fn); 0 when there is none.  Inside the hook. */
uint32_t kept_objects_in_tree(uint32_t number);

/* Notes the present names of classes.  Not inside the hook; one thread. */
void kept_objects_note_classes(struct note_list *notes);
