/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * objects.h -- between the interposed functions and the real allocator: keeps
 * what is known of the program's objects, in a mark or a table, and tells the
 * monitor.
 *
 * Allocations are counted if the program itself makes them, and not mprof or
 * the real allocator in the midst of another call; the end of an object is
 * counted if its allocation was.  Keeps errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/monitor.h"
#include "c/interpose/object_mark.h"
#include "c/interpose/real_allocator.h"

/* Returns whether the present call, which has entered the monitor, is the
 * program's, and not one in the midst of another call. */
static inline bool
is_program_call(void)
{
  return this_thread.inside == 1;
}

/* Returns how many bytes from the object on are its block's, as far as there
 * may be a mark; 0 if that is not known. */
static inline UNSANITIZED size_t
object_end(void *object)
{
  if (object == NULL)
    return 0;
  return real.has_chunks ? chunk_end(object)
                         : real.measure(object) & -(size_t)MARK_BYTES;
}

/* Returns where the mark of an object of `bytes' is written; NULL if it gets
 * none, and for NULL. */
static inline uint64_t *
object_mark_place(void *object, size_t bytes)
{
  const size_t end = object_end(object);
  const size_t at = end - MARK_BYTES;
  return bytes <= MARK_MOST && at - bytes < MARK_SLACK_END && end > MARK_BYTES
             ? (uint64_t *)((uintptr_t)object + at)
             : NULL;
}

/* Returns where the mark of the object would be; NULL if nowhere, and for NULL.
 * A block of 8 bytes has none, as zero would be the mark of one. */
static inline uint64_t *
object_mark_at(void *object)
{
  const size_t at = object_end(object) - MARK_BYTES;
  return at - 1 < MARK_MOST + MARK_SLACK_END
             ? (uint64_t *)((uintptr_t)object + at)
             : NULL;
}

/* Returns where the mark of the object is; NULL if it has none, and for NULL.
 * The sanitizer does not look, as the bytes need not be the program's. */
static inline UNSANITIZED uint64_t *
object_mark_find(void *object)
{
  uint64_t *const mark = object_mark_at(object);
  return mark != NULL && object_mark_is_of(*mark, (uintptr_t)mark,
                                           (uintptr_t)object, stripes.epoch)
             ? mark
             : NULL;
}

/* Writes the mark of an object of `bytes'. */
static inline void
object_set_mark(const void *object, uint64_t *mark, struct counted counted,
                size_t bytes)
{
  *mark = object_mark((uintptr_t)object, counted, bytes,
                      (uintptr_t)mark - (uintptr_t)object - bytes);
}

/* Counts an object of `bytes', as requested, and writes its mark, or lists it
 * if it gets none.  Returns the object; NULL for NULL.  `frame' is the
 * ARCH_FRAME of the interposed function, whose call ends here:
 * this_thread.inside is counted down. */
void *objects_register(void *object, size_t bytes, const uintptr_t *frame);

/* Counts an object that gets no mark, and lists it; if there is no memory
 * for that, counts it as missed.  One that is listed at its address counts as
 * freed: its end was not seen.  Else as objects_register. */
void *objects_register_bare(void *object, size_t bytes,
                            const uintptr_t *frame);

/* Forgets `object', not NULL, which the program frees: *taken becomes what was
 * known of it, with leaf 0 if that was nothing.  objects_count_free or
 * objects_restore is to follow. */
void objects_unregister(void *object, struct object_record *taken);

/* Forgets an object without a mark, in the same way.  In a handler of a
 * signal that interrupted a change of the table, the object stays there until
 * its address is given out again. */
void objects_unregister_bare(void *object, struct object_record *taken);

/* Returns what stands for an object of a pool: it has no mark. */
static inline void *
object_of_pool(void *object)
{
  return (void *)((uintptr_t)object | OBJECT_OF_POOL);
}

/* Counts the object as freed; or restores what was known of it, as realloc
 * failed and the program keeps it. */
void objects_count_free(const struct object_record *taken);
void objects_restore(const struct object_record *taken);
