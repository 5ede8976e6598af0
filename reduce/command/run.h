/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What each command does once its options are known.
 *
 * Each writes its text to SINK, or to the file that the options name, which
 * then is complete or not touched.  False: ERROR says why.  A failure of SINK
 * itself is left for its owner to find.
 */

#ifndef MPROF_RUN_H
#define MPROF_RUN_H

#include "command/options.h"
#include "base/mprof_error.h"
#include "base/sink.h"
#include "reduction.h"

/* Writes WHAT by EMIT to where OPTIONS say. */
typedef void run_emitter(const void *what, struct sink *sink);
bool run_emit(const struct options *options, struct sink *sink,
              run_emitter *emit, const void *what, struct mprof_error *error);

/* The profile that OPTIONS are about: one that is open, or the files that they
 * name, read into PROFILE, which the caller releases in any case.  NULL: ERROR
 * says why. */
const struct profile *run_profile(const struct options *options,
                                  struct profile *profile,
                                  struct mprof_error *error);

/* Reduces that profile and lets EMIT write the result. */
bool run_reduction(const struct options *options, struct sink *sink,
                   void (*emit)(const struct reduction *, struct sink *),
                   struct mprof_error *error);

bool run_report(const struct options *options, struct sink *sink,
                struct mprof_error *error);
bool run_export(const struct options *options, struct sink *sink,
                struct mprof_error *error);
bool run_diff(const struct options *options, struct sink *sink,
              struct mprof_error *error);
bool run_merge(const struct options *options, struct sink *sink,
               struct mprof_error *error);
/* Its failure may be MPROF_PROGRAM, which tells how the program ended. */
bool run_monitored(const struct options *options, struct sink *sink,
                   struct mprof_error *error);
bool run_graph(const struct options *options, struct sink *sink,
               struct mprof_error *error);
bool run_flamegraph(const struct options *options, struct sink *sink,
                    struct mprof_error *error);

#endif
