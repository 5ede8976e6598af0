/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile as a file, which the reader reads as what it was. */

#ifndef MPROF_WRITER_H
#define MPROF_WRITER_H

#include "base/gzip_sink.h"
#include "pprof/profile.h"

/* Writes PROFILE, compressed at LEVEL, to SINK.  With PLAIN it says the same to all
 * programs: all frames show, and all calls are stated.  Else it is as the
 * monitors write it: frames that are hidden by default show only to mprof,
 * and of the calls of C programs those are left out, if that is shorter, that
 * are sums of what was allocated below (mprof-formats(5), Activations). */
void profile_write(const struct profile *profile, bool plain,
                   enum gzip_level level, struct sink *sink);

#endif
