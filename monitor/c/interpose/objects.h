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

#include "c/count/monitor.h"
#include "c/interpose/object_header.h"

/* Returns whether the present call, which has entered the monitor, is the
 * program's, and not one in the midst of another call. */
static inline bool
is_program_call(void)
{
  return this_thread.inside == 1;
}

/* Counts an object of `bytes', as requested, in the block `base' of the real
 * allocator, which is HEADER_BYTES longer.  Fills its header; or lists the
 * object without one (object_is_listed), at `base', and moves its contents
 * there if `filled'.  Returns the object; NULL for NULL.  `frame' is the
 * ARCH_FRAME of the interposed function, whose call ends here:
 * this_thread.inside is counted down. */
void *objects_register(void *base, size_t bytes, const uintptr_t *frame,
                       bool filled);

/* Counts an object that gets no header, and lists it; if there is no memory
 * for that, counts it as missed.  One that is listed at its address counts as
 * freed: its end was not seen.  Else as objects_register. */
void *objects_register_bare(void *object, size_t bytes,
                            const uintptr_t *frame);

/* Forgets `object', not NULL, which the program frees: *taken becomes what was
 * known of it, with leaf 0 if that was nothing.  objects_count_free or
 * objects_restore is to follow. */
void objects_unregister(void *object, struct object_record *taken);

/* Forgets an object without a header, in the same way.  In a handler of a
 * signal that interrupted a change of the table, the object stays there until
 * its address is given out again. */
void objects_unregister_bare(void *object, struct object_record *taken);

/* Returns what stands for an object of a pool: it has no header. */
static inline void *
object_of_pool(void *object)
{
  return (void *)((uintptr_t)object | OBJECT_OF_POOL);
}

/* Returns the address of its block for the real allocator. */
static inline void *
object_base(const struct object_record *object)
{
  return (void *)(object->address - (object->headed ? HEADER_BYTES : 0));
}

/* Counts the object as freed; or restores what was known of it, as realloc
 * failed and the program keeps it. */
void objects_count_free(const struct object_record *taken);
void objects_restore(const struct object_record *taken);
