/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.h -- the monitor as its users see it: start, stop, read.
 *
 * The types are those that Lisp's foreign function interface can pass.  All
 * functions may be called from any Lisp thread, none inside the hook; they
 * take the monitor's lock, and allocate nothing from the collector but what
 * collector_balance.h says.
 *
 * An int that is returned is a status, unless the comment says otherwise: 0,
 * or 1 and mprof_monitor_message says why.  Any call that returns a status
 * fails if this ECL or kernel does not support the monitor.
 */
#pragma once

#define MPROF_EXPORT __attribute__((visibility("default")))

/* Counters that mprof_monitor_counter returns. */
enum mprof_counter {
  MPROF_ALLOCATIONS,
  MPROF_BYTES,          /* bytes requested */
  MPROF_CONTEXTS,       /* contexts and leaves in all trees */
  MPROF_THREADS,        /* threads that allocated, ended ones too */
  MPROF_OVERFLOWS,      /* look-ups of these that found no room */
  MPROF_RUNNING,        /* 1 while counting */
  MPROF_CONTEXT_BYTES,  /* bytes of their records and indices */
  MPROF_SINCE = 8,      /* time when counting began after the last reset, in
                           seconds since 1970; 0: there are no figures */
  MPROF_RESETS,         /* resets since the process began */
  MPROF_FOLLOWS         /* 1 when objects are followed (MPROF_LIVE) */
};

enum mprof_option {
  MPROF_UNFOLDED = 1,  /* keep every recursive context */
  MPROF_FULL_WALK = 2, /* walk the whole stack each time, as a check of the
                          frame words; the figures are the same */
  MPROF_LIVE = 4,      /* follow each object until it is dead */
  MPROF_SITES = 16     /* tell calls in one line of a function apart */
};

enum { MPROF_MOST_BUDGET = 1 << 27 };

/* Begins to count in all Lisp threads, and adds to the figures that are
 * there; does nothing while running.  BUDGET: limit of the contexts, and of
 * the leaves, of each thread, up to MPROF_MOST_BUDGET; 0: 8 million.
 * OPTIONS: sum of enum mprof_option.  Both are used only if there are no
 * figures yet, else ignored.  Fails if BUDGET is too large, or without
 * memory. */
MPROF_EXPORT int mprof_monitor_start(unsigned long budget, int options);

/* Stops counting, and keeps the figures.  When it returns 0, no thread is
 * inside the hook. */
MPROF_EXPORT int mprof_monitor_stop(void);

/* Forgets all figures; if running, goes on counting from zero with the same
 * options. */
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

/* Maps the figures into a new file PATH, where the reader finds them even if
 * the process is killed; not while running.  Replaces a regular file, but
 * renames the image of another process (image_file_make).  Fails if a file is
 * mapped already, or cannot be written.  mprof_monitor_unmap keeps the
 * figures in memory, and removes the file unless KEEP is not 0; it does
 * nothing if none is mapped, and fails without memory.  Not while running
 * either. */
MPROF_EXPORT int mprof_monitor_map(const char *path);
MPROF_EXPORT int mprof_monitor_unmap(int keep);

/* Copies all figures into an image in memory (common/image_format.h), for the
 * reader.  Returns a snapshot, for mprof_snapshot_free, or NULL, and
 * mprof_monitor_message says why.  If running, stops other threads while it
 * copies their counters.  BEFORE: sum of enum mprof_before, or 0.
 * mprof_snapshot_octets returns the image, of mprof_snapshot_length bytes; it
 * is freed with the snapshot, which must not be NULL in any of these. */
MPROF_EXPORT void *mprof_monitor_snapshot(int before);
MPROF_EXPORT const void *mprof_snapshot_octets(const void *snapshot);
MPROF_EXPORT unsigned long mprof_snapshot_length(const void *snapshot);
MPROF_EXPORT void mprof_snapshot_free(void *snapshot);

/* Returns a list of Lisp functions, for threads that are counted.  They do what
 * these do, in this order: mprof_monitor_stop, mprof_monitor_counter,
 * mprof_monitor_snapshot, mprof_snapshot_free; and for regions:
 *
 * begin: enters the region whose name, a simple base string that is copied, it
 * is given, in the calling thread, within the region that it is in.  What is
 * allocated beyond 64 nested regions, 199 bytes in a path, or 4095 in all,
 * belongs to the region around it.  Does nothing in a thread never counted.
 * end: leaves the innermost region, if any.
 * resume: enters the region with a number that the next one returned, in this
 * thread or another, without counting it as entered; 0 enters no region.
 * number: returns that of the calling thread's region, 0 if it is in none. */
MPROF_EXPORT void *mprof_monitor_functions(void);

/* Returns a counter of enum mprof_counter; 0 for another number.  While
 * counting it may be a few allocations old. */
MPROF_EXPORT unsigned long long mprof_monitor_counter(int which);

/* Returns why the last failed call of this thread failed; "" if none has.
 * The text is valid until another call of this thread fails.  Takes no lock.
 */
MPROF_EXPORT const char *mprof_monitor_message(void);
