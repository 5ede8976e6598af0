/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- the figures of a Lisp program as a profile.
 *
 * Not inside the hook.  Under the monitor's lock.
 */
#ifndef MPROF_LISP_PROFILE_H
#define MPROF_LISP_PROFILE_H

#include "write/lisp_figures.h"
#include "write/sample_writer.h"

/* Put the figures into `file', which is open, and stays so.  With `holders'
 * also who holds what is alive, if objects are followed; then the gates are
 * still shut, and there are no collections and frees (lisp_figures_take).
 * Does not allocate from the collector. */
void lisp_profile_put(struct gzip_file *file,
                      const struct lisp_figures *figures, bool holders);

/* Its comments: whose it is, totals, the reconciliation with the collector's
 * sum, and what is over the budget or can be missing.  `samples' has written
 * all samples, and of so many objects the class has no name. */
void lisp_comments_put(struct pprof_stream *stream,
                       const struct lisp_figures *figures,
                       const struct sample_writer *samples,
                       uint64_t classless_count);

#endif
