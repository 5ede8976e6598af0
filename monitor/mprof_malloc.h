/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mprof_malloc.h -- what a C or C++ program can say to mprof.
 *
 * Link the program with libmprof_malloc.a (or -lmprof-malloc), or run it with
 * `mprof run', which needs no linking.  A program that shall run without
 * mprof as well declares what it calls as weak:
 *
 *     extern void mprof_region_begin(const char *) __attribute__((weak));
 *     if (mprof_region_begin) mprof_region_begin("parse");
 *
 * All may be called by any thread, but not from a signal handler.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Stops counting allocations; frees of counted objects are still noted. */
void mprof_stop(void);

/* Starts to count again from zero, also after mprof_stop.  If `filename', a
 * string that is copied, names another file, the counts so far stay in theirs
 * and new ones go to that one; else, or if it is NULL, the counts so far are
 * forgotten. */
void mprof_restart(const char *filename);

/* Return at once, since each count is in the file already.  mprof_save
 * returns 0. */
void set_mprof_autosave(int count);
int mprof_save(void);

/* Enters the region `name', a string that is copied, in this thread, inside
 * its present region; mprof_region_end leaves the innermost one, if any.  At
 * most 64 nested regions, and 4095 in all, are kept apart. */
void mprof_region_begin(const char *name);
void mprof_region_end(void);

/* Labels what this thread allocates, until mprof_label_pop, with `key' and
 * `value', strings that are copied.  Labels are regions called key=value, and
 * nest as these do.  Once there are some 3000 regions, new values become
 * [other]. */
void mprof_label_push(const char *key, const char *value);
void mprof_label_pop(void);

#ifdef __cplusplus
}
#endif
