/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file that is written completely or not at all.
 *
 * Text goes to a temporary file beside the target, which is renamed over the
 * target at the end: a failure leaves the old file as it was and nothing
 * else behind.  What is no regular file (a device, a pipe) is written as it
 * is, since it must not be replaced.
 */

#pragma once

#include "base/pool.h"
#include "base/sink.h"

#include <stdbool.h>

struct output_file {
  const char *path; /* not owned: as the user gave it */
  char *target;     /* what is replaced */
  char *temporary;  /* NULL when the target is written directly */
  int descriptor;
  struct sink sink; /* write here */
  bool unsynced;    /* closing it does not wait until all is on disk */
};

/* Opens PATH for writing; it is dropped with the pool, unless it is closed.
 */
struct output_file *output_file_open(const char *path);

/* Completes FILE. */
void output_file_close(struct output_file *file);
