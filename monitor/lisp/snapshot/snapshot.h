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

#include "image/image.h"
#include "lisp/holders/live_graph.h"
#include "lisp/threads/threads.h"

struct snapshot {           /* all zero: empty */
  struct arena contents;    /* the image */
  size_t length;            /* bytes of the image so far */
  bool balanced;            /* set by the caller: it is to be reconciled with
                               what the collector has given out */
  struct counters counters; /* sums over all threads; with the requests that
                               leaves tell only if `balanced' */
  struct note_list notes;   /* notes for the end of the image */
  bool failed;              /* there was no memory */
};

/* Reserves memory for the present figures and some more, before the threads
 * are stopped, so that no page is missing then.  Returns false without
 * memory.  The caller releases the snapshot either way. */
bool snapshot_reserve(struct snapshot *snapshot);

/* Copies the figures.  The gates are shut, or nothing is counted; if objects
 * are followed, the world is stopped.  Returns false without memory. */
bool snapshot_take(struct snapshot *snapshot);

/* Adds the arrays of `graph', unless it is NULL, and all notes; the image is
 * complete then.  Returns false without memory.  Does not allocate from the
 * collector.  Threads may count meanwhile. */
bool snapshot_complete(struct snapshot *snapshot, struct live_graph *graph);

/* Frees the image and notes, and makes the snapshot empty. */
void snapshot_release(struct snapshot *snapshot);

/* Writes the notes (image.h) on the program and the runtime's types, once.
 * Returns false without memory. */
bool note_runtime(void);
