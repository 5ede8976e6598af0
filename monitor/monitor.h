/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.h -- the monitor as its users see it: start, stop, read.
 *
 * The types are those that Lisp's foreign function interface can pass.  All
 * functions may be called from any Lisp thread, none inside the hook; they
 * take one lock, and they do not allocate from the collector but for what
 * collector_balance.h says.
 *
 * Status: the functions give back 0, or 1: mprof_monitor_message says why.
 */
#pragma once

#define MPROF_EXPORT __attribute__((visibility("default")))

/* Counters that mprof_monitor_counter returns. */
enum mprof_counter {
  MPROF_ALLOCATIONS,
  MPROF_BYTES,          /* bytes requested */
  MPROF_CONTEXTS,       /* paths: calls, and kinds of objects at their end */
  MPROF_THREADS,        /* threads that allocated, ended ones too */
  MPROF_OVERFLOWS,      /* look-ups that found the node budget used up */
  MPROF_RUNNING,        /* 1 while counting */
  MPROF_CONTEXT_BYTES,  /* bytes of the contexts: see context_tree.h */
  MPROF_SINCE = 8,      /* time when counting began after the last reset, in
                           seconds since 1970; 0: there are no figures */
  MPROF_RESETS,         /* times that figures were forgotten */
  MPROF_FOLLOWS         /* 1 when objects are followed (MPROF_LIVE) */
};

enum mprof_option {
  MPROF_UNFOLDED = 1,  /* keep every recursive context */
  MPROF_FULL_WALK = 2, /* walk the whole stack each time: same figures, and
                          a check of what frame words say */
  MPROF_LIVE = 4,      /* follow each object until it is dead */
  MPROF_SITES = 16     /* tell calls in one line of a function apart */
};

enum { MPROF_MOST_BUDGET = 1 << 27 };

/* Begins to count in all Lisp threads, going on with the figures that are
 * there.  BUDGET: contexts at most in each thread, up to MPROF_MOST_BUDGET; 0
 * for the default.  OPTIONS: sum of enum mprof_option.  Both hold from the
 * first start after a reset.  Starting while running changes nothing. */
MPROF_EXPORT int mprof_monitor_start(unsigned long budget, int options);

/* Stops counting, and keeps the figures.  When it returns 0, no thread is
 * inside the hook. */
MPROF_EXPORT int mprof_monitor_stop(void);

/* Forgets all figures; if running, goes on counting from zero. */
MPROF_EXPORT int mprof_monitor_reset(void);

/* Options of mprof_monitor_snapshot. */
enum mprof_before {
  MPROF_COLLECT = 1, /* collect fully first: live objects are as of then */
  MPROF_HOLDERS = 2, /* the same, and add the graph of live objects, for the
                        reader to find who holds them; no graph without
                        MPROF_LIVE (lisp/holders/live_graph.h) */
  MPROF_UNBALANCED = 4 /* skip the reconciliation with the collector: threads
                          stand still only while their counters are copied,
                          and nobody waits until its own have settled */
};

/* Maps the figures into a new file PATH, where they are for the reader if the
 * process is killed; to be called before the first start since a reset, or
 * since they were mapped last.  Replaces a regular file, but renames the
 * image of another process (image_file_make).  The file is removed by
 * mprof_monitor_unmap, which with KEEP not 0 leaves it as it is. */
MPROF_EXPORT int mprof_monitor_map(const char *path);
MPROF_EXPORT int mprof_monitor_unmap(int keep);

/* Copies all figures into an image in memory (common/image_format.h), for the
 * reader.  Returns it, for mprof_snapshot_free, or NULL;
 * mprof_monitor_message says why.  If running, stops other threads while it
 * copies their counters.  BEFORE: sum of enum mprof_before.
 * mprof_snapshot_octets returns the image, of mprof_snapshot_length bytes; it
 * is freed with the snapshot. */
MPROF_EXPORT void *mprof_monitor_snapshot(int before);
MPROF_EXPORT const void *mprof_snapshot_octets(const void *snapshot);
MPROF_EXPORT unsigned long mprof_snapshot_length(const void *snapshot);
MPROF_EXPORT void mprof_snapshot_free(void *snapshot);

/* Enters the region NAME, a string that is copied, in the calling thread,
 * within the region that it is in; region_end leaves the innermost one.  At
 * most 64 nested regions, and 4095 in all, are told apart.  Does nothing in a
 * thread that was never counted.  Returns 0. */
MPROF_EXPORT int mprof_monitor_region_begin(const char *name);
MPROF_EXPORT int mprof_monitor_region_end(void);

/* Returns the number of the calling thread's region, 0 if it is in none.
 * Given such a number, region_resume enters that region in this thread or
 * another, and returns 0; mprof_monitor_region_end leaves it. */
MPROF_EXPORT int mprof_monitor_region(void);
MPROF_EXPORT int mprof_monitor_region_resume(int number);

/* Returns a counter of enum mprof_counter; 0 for another number. */
MPROF_EXPORT unsigned long long mprof_monitor_counter(int which);

/* Returns why the last failed call of this thread failed; never NULL, valid
 * until the next call. */
MPROF_EXPORT const char *mprof_monitor_message(void);
