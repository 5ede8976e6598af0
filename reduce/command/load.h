/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The profiles that a command line names, as one: read, and with names for
 * addresses.  An image (common/image_format.h) is as good as a profile.
 */

#pragma once

#include "base/input_file.h"
#include "base/pool.h"
#include "profile/profile.h"
#include "profile/reader.h"

struct code_names;

/* A file that a command line names.  A folder stands for the profiles in it:
 * its files whose names end in ".data" or ".pb.gz", in order of their names
 * (byte by byte), without hidden ones and without those in folders below it.
 */
struct input_name {
  const char *path;              /* not owned if it is as it was named */
  struct reader_options options; /* but for what is the same for all files */
  const char *folder; /* as it was named, NULL: the file itself was named */
};

struct input_list { /* all zero: empty */
  struct input_name *files;
  size_t count, capacity;
};

/* Appends the COUNT files or folders NAMES, or "mprof.data" when there are
 * none.  The names must outlive LIST, which is in the pool in use.  Fails if
 * a folder has no profiles or cannot be read; a file need not exist. */
void input_list_fill(struct input_list *list, const char *const *names,
                     size_t count);

/* Makes PROFILE that of all files of LIST, at least one: initialized, with
 * names for addresses, and settled, in the pool in use.  LOSSLESS is for what
 * writes a file anew: see reader.h.  Files of code are kept in NAMES, unless
 * that is NULL.  Fails as profile_read does. */
void profile_load_list(struct profile *profile, const struct input_list *list,
                       bool lossless, struct code_names *names);

/* Makes PROFILE that of the COUNT files or folders NAMES, or of "mprof.data"
 * if there are none, in the same way. */
void profile_load(struct profile *profile, const char *const *names,
                  size_t count);

/* Writes PROFILE to the file PATH, completely or not at all, and with SYNC
 * waits until it is on disk.  Fails with MPROF_CANNOT_WRITE. */
void profile_save(const struct profile *profile, const char *path, bool sync);

/* Returns an open profile of mprof.h, which the caller closes with
 * mprof_profile_close.  FILL makes it with CLOSURE, in an attempt in its own
 * pool: so the library that serves gets what this command reads itself.  On
 * failure returns NULL, and ERROR says why. */
typedef void profile_fill(struct profile *profile, void *closure);
void *profile_handle(profile_fill *fill, void *closure,
                     struct mprof_error *error);
