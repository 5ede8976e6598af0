/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile as a file, which the reader reads as what it was. */

#pragma once

#include "base/gzip_sink.h"
#include "pprof/profile.h"

/* What the header of such a file calls it, if it is by mprof: "mprof ", and
 * the PROCESS that it is of, as the comment mprof.process has it (NULL:
 * none).
 */
enum { PROFILE_GZIP_COMMENT_BYTES = 300 };
void profile_gzip_comment(const char *process,
                          char comment[PROFILE_GZIP_COMMENT_BYTES]);

/* Writes PROFILE, compressed, to SINK.  With PLAIN all frames show to all
 * programs; else those that are hidden by default show only to mprof. */
void profile_write(const struct profile *profile, bool plain,
                   struct sink *sink);
