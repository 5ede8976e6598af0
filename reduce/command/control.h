/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that `mprof run' runs, or has attached to, is looked at while it
 * runs: its image (images/image_reader.h) is read, for a profile of now.
 *
 * One thread asks; another one may say that the program has ended.  With
 * --serve a thread of its own asks.
 */

#pragma once

#include "command/options.h"
#include "profile/profile.h"
#include "symbols/code_names.h"

struct run_files;

struct control {
  const char *file;        /* the image */
  struct run_files *files; /* with its timeline; NULL: it has none */
  struct code_names names; /* files that profiles have addresses in */
  struct pool names_pool;
  _Atomic bool ended;  /* the program has, which anybody may say */
  uint64_t generation; /* of its figures, as it was seen last */
};

/* Sets PATH to the image that the process NAME counts in; to NAME, if that is
 * no number. */
void control_find_image(const char *name, char path[PATH_MAX]);

/* Makes CONTROL that of the program that counts in FILE, which outlives it.
 * DELETED is as in struct code_names. */
void control_open(struct control *control, const char *file,
                  const char *deleted);
void control_close(struct control *control);

/* Returns a number that changes when the program's figures are forgotten. */
uint64_t control_generation(struct control *control);

/* Reads into PROFILE what the program has counted until now, with names for
 * its addresses; LOSSLESS is for what writes it anew (profile/reader.h).
 * Files of code that an earlier profile had are not read again. */
void control_snapshot(struct control *control, bool lossless,
                      struct profile *profile);

/* Serves the profile of the program of OPTIONS and FILES from now on, where
 * --serve says, and says so on standard error.  What is behind the last colon
 * is the port, and what is before it an address: 6060, 0.0.0.0:6060,
 * [::1]:6060. */
struct watch *watch_serve(const struct options *options,
                          struct run_files *files);

/* Ends that: the program has ended, or has not begun. */
void watch_close(struct watch *watch);
