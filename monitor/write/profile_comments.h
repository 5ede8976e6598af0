/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_comments.h -- what a profile says of itself in its comments: whose
 * it is, totals, the reconciliation with the collector's sum, and what is not
 * attributed or can be missing.
 *
 * The comments are described in mprof-data(5), and read by
 * reduce/profile/profile_comments.c.
 */
#ifndef MPROF_PROFILE_COMMENTS_H
#define MPROF_PROFILE_COMMENTS_H

#include "write/profile_output.h"
#include "write/profile_writer.h"
#include "write/sample_writer.h"

/* Write the comments; `samples' has written its samples. */
void profile_comments_put(struct profile_output *output,
                          const struct monitor_figures *figures,
                          const struct sample_writer *samples);

#endif
