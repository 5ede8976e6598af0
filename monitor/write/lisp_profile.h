/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- the figures of a Lisp program as a profile.
 *
 * Not inside the hook; the trees do not change while it is written.
 */
#ifndef MPROF_LISP_PROFILE_H
#define MPROF_LISP_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "balance/collector_balance.h"
#include "balance/requests.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

/* The figures of all threads with one name. */
struct thread_figures {
  const char *name;
  const struct context_tree *tree;
  struct thread_figures *next;
};

/* All that a profile is made of. */
struct monitor_figures {
  struct thread_figures *threads;
  const struct region_table *regions;
  const char *runtime_version;
  uint64_t allocations, bytes;       /* the plain counters */
  struct requests requests;          /* that leaves do not tell */
  uint64_t finalizers, weak_links;   /* records that the collector made */
  uint64_t thread_record_bytes;      /* the same for threads that began */
  uint64_t truncated_walks, finalizer_walks, differing_walks, overflows;
  uint64_t contexts, context_bytes;  /* paths of all threads; their memory */
  uint64_t lost_calls;               /* see kept_objects_lost_calls */
  unsigned counted_threads;          /* that allocated */
  unsigned imported_threads;         /* that C made, while counting */
  struct collector_balance collector; /* in the time that was counted */
};

/* Write `figures' to `path'.  Gives back an enum mprof_status and, on
 * failure, a message of at most `size' bytes.  Does not allocate from the
 * collector. */
int lisp_profile_write(const struct monitor_figures *figures,
                       const char *path, char *message, size_t size);

#endif
