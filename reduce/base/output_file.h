/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sinks that are files, and a sink that compresses. */

#pragma once

#include "base/sink.h"

/* Opens PATH for writing, completely or not at all.
 *
 * Text goes to a temporary file beside the target, which is renamed over the
 * target at the end: a failure leaves the old file as it was and nothing
 * else behind.  What is no regular file (a device, a pipe) is written as it
 * is, since it must not be replaced.
 *
 * Returns a sink that is dropped with the pool, unless output_file_close
 * completes it; with SYNC, that waits until all is on disk. */
struct sink *output_file_open(const char *path);
void output_file_close(struct sink *sink, bool sync);

/* Starts compressing into TARGET, as fast as zlib can: files are 8 to 13 %
 * larger than at its level 4, which takes twice as long.
 *
 * Returns a sink, in the pool in use.  What is written to it reaches TARGET
 * as one gzip member, without a name or a date, so that equal content gives
 * equal bytes; gzip_sink_close ends that.  COMMENT stands in its header, and
 * tells what the file is without anything being unpacked; NULL: none does.  A
 * failure of either sink is one of TARGET.  TARGET and COMMENT must outlive
 * the result. */
struct sink *gzip_sink_open(struct sink *target, const char *comment);
void gzip_sink_close(struct sink *sink);

/* Sets COMMENT, of SIZE bytes, to that of the file PATH, written so.  Returns
 * false if it has none, or it does not fit. */
bool gzip_comment(const char *path, char *comment, size_t size);
