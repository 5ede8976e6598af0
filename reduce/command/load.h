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

/* The files that a command line names.  A folder stands for the profiles in
 * it: its files whose names end in ".data" or ".pb.gz", in order of their
 * names (byte by byte), without hidden ones and without those in folders
 * below it. The image of a process whose profile is there, too, is left out.
 */
struct input_name {
  const char *path;
  struct input_octets octets; /* what would be in it; NULL: it is in a file */
  const struct losses *losses;     /* of an image's program, or NULL */
  const struct timeline *timeline; /* the same */
  const char *folder; /* as it was named, NULL: the file itself was named */
};

struct input_list { /* all zero: empty */
  struct input_name *files;
  size_t count, capacity;
};

/* Appends the COUNT files or folders NAMES, or "mprof.data" when there are
 * none.  It fails where a folder has no profiles. */
void input_list_fill(struct input_list *list, const char *const *names,
                     size_t count);

/* Reads the files of LIST into PROFILE.  LOSSLESS is for what writes a file
 * anew: see reader.h.  Files of code are kept in NAMES, unless that is NULL.
 */
void profile_load_list(struct profile *profile, const struct input_list *list,
                       bool lossless, struct code_names *names);

/* Reads the COUNT files or folders NAMES into PROFILE, or "mprof.data" if
 * there are none. */
void profile_load(struct profile *profile, const char *const *names,
                  size_t count);

/* Reads OPERAND into PROFILE: a file or folder, or several with commas
 * between them, unless there is a file of that name. */
void profile_load_joined(struct profile *profile, const char *operand);

/* Writes PROFILE to the file PATH, completely or not at all, and with SYNC
 * waits until it is on disk. */
void profile_save(const struct profile *profile, const char *path, bool sync);

/* Returns what mprof_profile_open returns, of the profile that FILL makes
 * with CLOSURE in an attempt in its own pool: so the library that serves,
 * which knows profiles by mprof.h, has one that this command reads itself. On
 * failure returns NULL, and ERROR says why. */
typedef void profile_fill(struct profile *profile, void *closure);
void *profile_handle(profile_fill *fill, void *closure,
                     struct mprof_error *error);
