/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each command does once its options are known.
 *
 * Each writes its text to SINK, or to the file that the options name, which
 * then is complete or not touched.  False: the error of OUTCOME, which starts
 * zeroed, says why.  A failure of SINK itself is left for its owner to find.
 */

#ifndef MPROF_RUN_H
#define MPROF_RUN_H

#include "base/sink.h"
#include "command/options.h"
#include "command/outcome.h"

bool run_report(const struct options *options, struct sink *sink,
                struct outcome *outcome);
bool run_export(const struct options *options, struct sink *sink,
                struct outcome *outcome);
bool run_flamegraph(const struct options *options, struct sink *sink,
                    struct outcome *outcome);
bool run_graph(const struct options *options, struct sink *sink,
               struct outcome *outcome);
/* The status is 3 when there was more growth than is allowed. */
bool run_diff(const struct options *options, struct sink *sink,
              struct outcome *outcome);
bool run_merge(const struct options *options, struct sink *sink,
               struct outcome *outcome);
/* The status and the signal are those of the program. */
bool run_monitored(const struct options *options, struct sink *sink,
                   struct outcome *outcome);

#endif
