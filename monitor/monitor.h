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
#ifndef MPROF_MONITOR_H
#define MPROF_MONITOR_H

#define MPROF_EXPORT __attribute__((visibility("default")))

/* Which number mprof_monitor_counter gives. */
enum mprof_counter {
  MPROF_ALLOCATIONS,
  MPROF_BYTES,          /* requested */
  MPROF_CONTEXTS,       /* paths: calls, and kinds of objects at their end */
  MPROF_THREADS,        /* that allocated, ended ones too */
  MPROF_OVERFLOWS,      /* look-ups that found the node budget used up */
  MPROF_RUNNING,        /* 1 while counting */
  MPROF_CONTEXT_BYTES,  /* memory of the contexts: see context_tree.h */
  MPROF_SINCE = 8,      /* when counting began after the last reset, in
                           seconds since 1970; 0: there are no figures */
  MPROF_RESETS,         /* how often figures were forgotten */
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

/* Stops counting, with no thread left inside the hook; keeps figures. */
MPROF_EXPORT int mprof_monitor_stop(void);

/* Forget all figures.  While running: count anew from here. */
MPROF_EXPORT int mprof_monitor_reset(void);

/* What is done before figures are taken, and left undone. */
enum mprof_before {
  MPROF_COLLECT = 1, /* a full collection: what is alive is as of this one */
  MPROF_HOLDERS = 2, /* the same, with the graph of what is alive, for the
                        reader to find who holds it (lisp/holders/live_graph.h);
                        without MPROF_LIVE nothing */
  MPROF_UNBALANCED = 4 /* without the reconciliation: threads stand still for
                          as long as it takes to copy their counters, and
                          nobody waits until the collector's have settled */
};

/* From the next start on, which must be the first one since a reset or since
 * the figures were mapped last, they are in the file `path', mapped: what was
 * counted is there when the process is killed, for the reader.  It takes the
 * place of the file that is there, but for an image of another program.  Until
 * it is taken away, or with `keep' left as it is. */
MPROF_EXPORT int mprof_monitor_map(const char *path);
MPROF_EXPORT int mprof_monitor_unmap(int keep);

/* All figures, as an image in memory (common/image_format.h), for the reader:
 * a snapshot that the caller frees, or NULL, and mprof_monitor_message says
 * why.  May be called while running: other threads are held up while their
 * counters are copied.  `before': sum of enum mprof_before. */
MPROF_EXPORT void *mprof_monitor_snapshot(int before);
MPROF_EXPORT const void *mprof_snapshot_octets(const void *snapshot);
MPROF_EXPORT unsigned long mprof_snapshot_length(const void *snapshot);
MPROF_EXPORT void mprof_snapshot_free(void *snapshot);

/* The calling thread enters the region `name', a string that is copied,
 * within the region that it is in; it leaves the innermost one.  At most 64
 * within one another and 4095 in all are told apart.  Does nothing in a thread
 * that was never counted.  Always 0. */
MPROF_EXPORT int mprof_monitor_region_begin(const char *name);
MPROF_EXPORT int mprof_monitor_region_end(void);

/* Returns the number of the calling thread's region, 0 if it is in none;
 * enters that region, in this thread or another, to be left as others are. */
MPROF_EXPORT int mprof_monitor_region(void);
MPROF_EXPORT int mprof_monitor_region_resume(int number);

MPROF_EXPORT unsigned long long mprof_monitor_counter(int which);

/* What went wrong in the last call of this thread that failed; never NULL,
 * valid until the next call. */
MPROF_EXPORT const char *mprof_monitor_message(void);

#endif
