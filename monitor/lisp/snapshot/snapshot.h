/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.h -- all figures of the monitor as of one moment: an image in
 * memory (image_format.h), which the reader makes a profile of.
 *
 * Threads stand still while their counters are copied, and count on while
 * notes are added.
 *
 * Not inside the hook.  Under the monitor's lock, from first to last. */
#pragma once

#include "common/image_format.h"
#include "image/note_list.h"
#include "lisp/holders/live_graph.h"
#include "lisp/threads/threads.h"

struct snapshot {           /* all zero: empty */
  struct arena contents;    /* the image */
  size_t length;            /* of it */
  bool balanced;            /* with what the collector has given out */
  struct counters counters; /* if it is balanced, with all requests */
  struct note_list notes;   /* for its end */
  bool failed;              /* there was no memory */
};

/* Reserves memory for what is there now, before the threads are stopped: then
 * no page of it is missing.  Returns false without memory. */
bool snapshot_reserve(struct snapshot *snapshot);

/* Copy the figures; the gates are shut, or nothing is counted; and
 * where objects are followed the world is stopped.  False: there is no
 * memory. */
bool snapshot_take(struct snapshot *snapshot);

/* Add what refers to what, unless `graph' is NULL, and what all numbers stand
 * for.  False: there is no memory.  Does not allocate from the collector. */
bool snapshot_complete(struct snapshot *snapshot, struct live_graph *graph);

void snapshot_release(struct snapshot *snapshot);

/* Begin to keep notes of what numbers in figures stand for (image.h): the
 * runtime and its types.  False: there is
 * no memory. */
bool note_runtime(void);
