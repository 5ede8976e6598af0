/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.h -- figures as an image in memory (image_format.h), which the
 * reader makes a profile of.
 *
 * Not inside the hook.  Under the monitor's lock.
 */
#ifndef MPROF_SNAPSHOT_H
#define MPROF_SNAPSHOT_H

#include "holders/live_graph.h"
#include "snapshot/figures.h"

struct snapshot { /* all zero: empty */
  struct arena contents; /* the image */
  size_t length;
};

/* Make the image of `figures', and of what refers to what, unless `graph' is
 * NULL.  False: there is no memory, and SNAPSHOT is empty.  Does
 * not allocate from the collector. */
bool snapshot_make(struct snapshot *snapshot,
                   const struct lisp_figures *figures,
                   const struct live_graph *graph);

#endif
