/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_writer.h -- all that a profile is made of, and writing it.
 *
 * Not inside the hook; the trees do not change while it is written.
 */
#ifndef MPROF_PROFILE_WRITER_H
#define MPROF_PROFILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/classify.h"
#include "tree/context_tree.h"

/* The figures of all threads with one name. */
struct thread_figures {
  char *name;           /* from malloc */
  const struct context_tree *tree;
  struct thread_figures *next;
};

/* All that a profile is made of. */
struct monitor_figures {
  struct thread_figures *threads;
  const char *runtime_version;
  uint64_t allocations, bytes;       /* the plain counters */
  uint64_t granules[CLASSIFY_GRANULES], large_bytes;
  uint64_t finalizers, weak_links;   /* records that the collector made */
  uint64_t thread_record_bytes;      /* the same for threads that began */
  uint64_t truncated_walks, finalizer_walks, differing_walks, overflows;
  uint64_t contexts, context_bytes;  /* paths of all threads; their memory */
  uint64_t lost_calls;               /* see kept_objects_lost_calls */
  unsigned counted_threads;          /* that allocated */
  unsigned imported_threads;         /* that C made, while counting */
  uint64_t collector_bytes;          /* in the time that was counted */
  bool lists_read, page_settled, at_rest;
};

/* Write `figures' to `path'.  Gives back an enum mprof_status and, on
 * failure, a message of at most `size' bytes.  Does not allocate from the
 * collector but for classify_rounded_bytes. */
int profile_write(const struct monitor_figures *figures, const char *path,
                  char *message, size_t size);

#endif
