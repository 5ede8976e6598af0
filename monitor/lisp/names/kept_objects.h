/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.h -- Lisp objects that stay alive, because their address is
 * their name: names of byte-compiled functions, and classes. */
#pragma once

#include <stdint.h>

#include <ecl/ecl.h>

struct note_list;

/* Above all numbers of compiled functions. */
enum { FUNCTION_OBJECT_BASE = 1 << 24 };

/* Makes the table, once.  Returns 0, or -1 without memory. */
int kept_objects_open(void);

/* Keeps `object', a class or the name of a function, alive until the process
 * ends, so that its address stays its own, and notes its name.  Returns its
 * place, from 1 on; 0, and does nothing, if the table is full or without
 * memory.  Inside the hook. */
uint32_t kept_objects_add(cl_object object);

/* Returns the number of the byte-compiled function called `name', above
 * FUNCTION_OBJECT_BASE, and keeps that object; 0 if there is no room.  Inside
 * the hook. */
uint32_t kept_objects_function(cl_object name);

/* Returns the role and the flags of the function with such a number
 * (context_tree_function_fn); 0 when there is none.  Inside the hook. */
uint32_t kept_objects_in_tree(uint32_t number);

/* Adds to `notes' the present names of all classes that are kept.  Not inside
 * the hook; one thread at a time. */
void kept_objects_note_classes(struct note_list *notes);
