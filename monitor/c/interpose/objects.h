/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.h -- between the interposed functions and the real allocator: keeps
 * what is known of the program's objects, in a header or a table, and tells
 * the monitor.
 *
 * Allocations are counted if the program itself makes them, and not mprof or
 * the real allocator in the midst of another call; the end of an object is
 * counted if its allocation was.  Keeps errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "c/interpose/object_header.h"
#include "c/interpose/object_table.h"

/* Objects without a header. */
extern struct object_table live_objects HIDDEN;

/* Returns whether the present call, which has entered the monitor, is the
 * program's, and not one in the midst of another. */
static inline bool
is_program_call(void)
{
  return this_thread.inside == 1;
}

/* Count the program's object of `bytes' and fill its header in `base', which
 * is of the real allocator and HEADER_BYTES longer, or give it none (see
 * object_is_listed).  Gives back the object; NULL for NULL.  `filled': the
 * object has contents already.  `frame' is the frame of the interposed
 * function, whose call ends here: this_thread.inside is counted down. */
void *objects_register(void *base, size_t bytes, const uintptr_t *frame,
                       bool filled);

/* Counts an object that gets no header.  Counts the one that was at its
 * address as freed: its end was not seen. */
void *objects_register_bare(void *object, size_t bytes,
                            const uintptr_t *frame);

/* Forget `object', not NULL and no early memory, which the program frees:
 * *taken becomes what was known of it. */
void objects_unregister(void *object, struct object_record *taken);

/* Returns its address for the real allocator. */
static inline void *
object_base(const struct object_record *object)
{
  return (void *)(object->address - (object->headed ? HEADER_BYTES : 0));
}

/* Counts the object as freed; or restores what was known of it, as realloc
 * failed and the program keeps it. */
void objects_count_free(const struct object_record *taken);
void objects_restore(const struct object_record *taken);
