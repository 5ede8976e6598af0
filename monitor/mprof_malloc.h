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
#ifndef MPROF_MALLOC_H
#define MPROF_MALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Stop counting.  Objects that are freed later are still noted. */
void mprof_stop(void);

/* Forget all counts and count again.  With a `filename', a string that is
 * copied, the counts so far stay in their file, and those to come are in that
 * one. */
void mprof_restart(const char *filename);

/* These do nothing, and the second returns 0: whatever was counted is in the
 * file at once. */
void set_mprof_autosave(int count);
int mprof_save(void);

/* This thread enters the region `name', a string that is copied, inside its
 * present region; or leaves the innermost one.  At most 64 nested regions,
 * and 4095 in all, are kept apart. */
void mprof_region_begin(const char *name);
void mprof_region_end(void);

/* From now on what this thread allocates has the label `key' with `value',
 * until mprof_label_pop.  Labels are regions called key=value, and nest as
 * these do: of more than 3000 values the rest is [other]. */
void mprof_label_push(const char *key, const char *value);
void mprof_label_pop(void);

#ifdef __cplusplus
}
#endif

#endif
