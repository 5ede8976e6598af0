/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_comments.h -- what a Lisp profile says of itself in its comments:
 * whose it is, totals, the reconciliation with the collector's sum, and what
 * is not attributed or can be missing.
 */
#ifndef MPROF_LISP_COMMENTS_H
#define MPROF_LISP_COMMENTS_H

#include "write/lisp_profile.h"
#include "write/sample_writer.h"

/* Put them; `samples' has written all samples, and of so many objects the
 * class has no name. */
void lisp_comments_put(struct pprof_stream *stream,
                       const struct monitor_figures *figures,
                       const struct sample_writer *samples,
                       uint64_t classless_count);

#endif
