/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.h -- between the interposed functions and the real allocator: gives
 * objects to the program, with a header or without, takes them back, and
 * tells the monitor.
 *
 * What the program itself asks for is counted, and not what mprof or the real
 * allocator does in the midst of another call.  What was counted and is given
 * back always is.  Keeps errno.
 */
#ifndef MPROF_OBJECTS_H
#define MPROF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/interpose/object_header.h"
#include "malloc/interpose/object_table.h"

/* Whether the call in hand, which has entered the monitor, is the program's,
 * and not one in the midst of another. */
static inline bool
is_program_call(void)
{
  return malloc_monitor_inside == 1;
}

/* This call is the program's own after all: it has left the one that it seems
 * to be in (nonlocal_exit.h). */
bool objects_recover(const uintptr_t *frame);

/* The program's object of `bytes', for which the real allocator gave `base',
 * with HEADER_BYTES more than that; NULL for NULL.  What is in it is behind
 * the header, if it is filled.  `frame' is the frame of the interposed
 * function; its call ends here: malloc_monitor_inside is counted down. */
void *objects_register(void *base, size_t bytes, const uintptr_t *frame,
                       bool filled);

/* The same for an object that keeps the address, and has no header. */
void *objects_register_bare(void *object, size_t bytes,
                            const uintptr_t *frame);

/* The program gives `object' back, not NULL and no early memory: *taken is
 * what is known of it. */
void objects_unregister(void *object, struct object_record *taken);

/* The same for one that has no header. */
void objects_unregister_bare(void *object, struct object_record *taken);

/* What the real allocator knows it as. */
static inline void *
object_base(const struct object_record *object)
{
  return (void *)(object->address - (object->headed ? HEADER_BYTES : 0));
}

/* It is freed, or it has it still, since realloc failed. */
void objects_count_free(const struct object_record *taken);
void objects_restore(const struct object_record *taken);

/* Of a header before `object', which stays the program's; 0: it has none. */
size_t objects_header_bytes(void *object);

/* List those without a header too that are not counted. */
void objects_list_all(void);

/* Nobody else is in here: while the process is copied, in both copies. */
void objects_lock(void);
void objects_unlock(void);

/* Say where the table is and its lock, for who looks for all objects from
 * outside. */
void objects_describe(struct image_search *search);

#endif
