/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- the figures of a Lisp program as a profile.
 *
 * Not inside the hook.  Under the monitor's lock; the trees do not change
 * while they are written.
 */
#ifndef MPROF_LISP_PROFILE_H
#define MPROF_LISP_PROFILE_H

#include "write/sample_writer.h"

/* Write the figures of the monitor (threads.h) to `path'.  Gives back 0 or an
 * errno value.  Does not allocate from the collector. */
int lisp_profile_write(const char *path);

/* What would be in the file. */
struct snapshot {
  struct arena contents;
  size_t length;
};

/* Make a snapshot, whose contents the caller releases.  Gives back 0 or an
 * errno value, and then there are none. */
int lisp_profile_keep(struct snapshot *snapshot);

/* Its comments: whose it is, totals, the reconciliation with the collector's
 * sum, and what is not attributed or can be missing.  `samples' has written
 * all samples, and of so many objects the class has no name. */
void lisp_comments_put(struct pprof_stream *stream,
                       const struct sample_writer *samples,
                       uint64_t classless_count);

#endif
