/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that `mprof run' runs, or has attached to, is looked at while it
 * runs: its image (images/image_reader.h) is read, for a profile of now.
 *
 * One thread uses a control; another one may set `ended'.  With --serve it is
 * the thread that serves.
 */

#pragma once

#include "command/options.h"
#include "profile/profile.h"
#include "symbols/code_names.h"

struct run_files;

struct control {
  const char *file;        /* path of the image; not owned */
  struct run_files *files; /* has its timeline; not owned; NULL: none */
  struct code_names names; /* files that profiles have addresses in */
  struct pool names_pool;  /* memory of names */
  _Atomic bool ended;      /* the program has; any thread may set it */
  uint64_t generation;     /* of its figures, as it was seen last */
  bool lossless;           /* profiles are written anew: profile/reader.h */
  bool read;               /* the last snapshot was taken whole */
};

/* Sets PATH to the image that the process NAME counts in; to NAME, if that is
 * no number.  Fails if the process cannot be looked at or has no image, or if
 * PATH is none. */
void control_find_image(const char *name, char path[PATH_MAX]);

/* Makes CONTROL that of the program that counts in FILE, which outlives it.
 * DELETED is as in struct code_names. */
void control_open(struct control *control, const char *file,
                  const char *deleted);

/* Releases the files of code that CONTROL has; not CONTROL itself. */
void control_close(struct control *control);

/* Reads into PROFILE what the program of CONTROL, a struct control, has
 * counted until now, with names for its addresses.  Waits up to a second for
 * a program to count; fails if none does.  Files of code that an earlier
 * profile had are not read again, unless that failed.  Holds timelines_lock
 * of the files meanwhile. */
void control_snapshot(struct profile *profile, void *control);

/* Serves the profile of the program of OPTIONS and FILES from now on, where
 * --serve says, and says so on standard error.  The port is behind the last
 * colon, and a numeric address before it: 6060, 0.0.0.0:6060, [::1]:6060.
 * Returns a watch in the pool in use, for watch_close, before FILES is
 * released.  Fails for a wrong value of --serve, and if it cannot serve. */
struct watch *watch_serve(const struct options *options,
                          struct run_files *files);

/* Ends the thread of WATCH and frees its server, when the program has ended
 * or could not begin. */
void watch_close(struct watch *watch);
