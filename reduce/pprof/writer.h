/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile as a file, which the reader reads as what it was. */

#ifndef MPROF_WRITER_H
#define MPROF_WRITER_H

#include "base/sink.h"
#include "pprof/profile.h"

/* How calls of C programs are written (mprof-data(5), Activations). */
enum calls_form {
  CALLS_SHORTEST, /* the one of the following that takes less */
  CALLS_ALL,      /* all, for programs of others */
  CALLS_NOT_SUMS  /* those that are not the sum of what was allocated below,
                     as the monitor does */
};

/* Writes PROFILE, compressed, to SINK. */
void profile_write(const struct profile *profile, enum calls_form form,
                   struct sink *sink);

#endif
