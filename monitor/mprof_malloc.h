/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mprof_malloc.h -- what a C or C++ program can say to mprof.
 *
 * Run the program with `mprof run', or link it with libmprof_malloc.a (or
 * -lmprof-malloc).  Without either it runs as well: the functions are weak
 * symbols, and a call of one that is not there does nothing.  (Not so in code
 * compiled with -fno-pic, where the linker decides that none is there.)
 *
 * All may be called by any thread, but not from a signal handler.
 */
#pragma once

#include <stddef.h>

#ifdef MPROF_MALLOC_LIBRARY /* which has the functions */
#define MPROF_MALLOC_WEAK
#else
#define MPROF_MALLOC_WEAK __attribute__((weak))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Stops counting allocations; frees of counted objects are still noted. */
void mprof_stop(void) MPROF_MALLOC_WEAK;

/* Starts to count again from zero, also after mprof_stop.  If `filename', a
 * string that is copied, names another file, the counts so far stay in theirs
 * and new ones go to that one; else, or if it is NULL, the counts so far are
 * forgotten. */
void mprof_restart(const char *filename) MPROF_MALLOC_WEAK;

/* Return at once, since each count is in the file already.  mprof_save
 * returns 0. */
void set_mprof_autosave(int count) MPROF_MALLOC_WEAK;
int mprof_save(void) MPROF_MALLOC_WEAK;

/* Enters the region `name', a string that is copied, in this thread, inside
 * its present region; mprof_region_end leaves the innermost one, if any.  At
 * most 64 nested regions, 4095 in all, 199 bytes in a path are kept apart. */
void mprof_region_begin(const char *name) MPROF_MALLOC_WEAK;
void mprof_region_end(void) MPROF_MALLOC_WEAK;

/* Labels what this thread allocates, until mprof_label_pop, with `key' and
 * `value', strings that are copied.  Labels are regions called key=value, and
 * nest as these do.  Once there are some 3000 regions, new values become
 * [other]. */
void mprof_label_push(const char *key, const char *value) MPROF_MALLOC_WEAK;
void mprof_label_pop(void) MPROF_MALLOC_WEAK;

/* Counts an object of `bytes' bytes at `object' that a pool of the program's
 * own gives out, with the label pool=`pool', a string that is copied, until
 * mprof_freed of its address.  Call that also for each object of a pool that
 * is emptied as a whole; an address that is given out again without it counts
 * as freed.  The block in which the object is, from malloc or the kernel, is
 * counted apart, as if it were all that is there.  NULL counts for nothing,
 * and so does an address in mprof_freed that is not counted. */
void mprof_allocated(void *object, size_t bytes,
                     const char *pool) MPROF_MALLOC_WEAK;
void mprof_freed(void *object) MPROF_MALLOC_WEAK;

#ifdef __cplusplus
}
#endif

#ifndef MPROF_MALLOC_LIBRARY
#define MPROF_MALLOC_CALL(function, arguments)                               \
  (function ? function arguments : (void)0)
#define mprof_stop() MPROF_MALLOC_CALL(mprof_stop, ())
#define mprof_restart(filename) MPROF_MALLOC_CALL(mprof_restart, (filename))
#define set_mprof_autosave(count)                                            \
  MPROF_MALLOC_CALL(set_mprof_autosave, (count))
#define mprof_save() (mprof_save ? mprof_save() : 0)
#define mprof_region_begin(name) MPROF_MALLOC_CALL(mprof_region_begin, (name))
#define mprof_region_end() MPROF_MALLOC_CALL(mprof_region_end, ())
#define mprof_label_push(key, value)                                         \
  MPROF_MALLOC_CALL(mprof_label_push, (key, value))
#define mprof_label_pop() MPROF_MALLOC_CALL(mprof_label_pop, ())
#define mprof_allocated(object, bytes, pool)                                 \
  MPROF_MALLOC_CALL(mprof_allocated, (object, bytes, pool))
#define mprof_freed(object) MPROF_MALLOC_CALL(mprof_freed, (object))
#endif
