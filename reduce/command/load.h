/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The profiles that a command line names, as one: read, and with names for
 * addresses.
 */

#ifndef MPROF_LOAD_H
#define MPROF_LOAD_H

#include "base/input_file.h"
#include "base/input_list.h"
#include "base/mprof_error.h"
#include "pprof/profile.h"

struct progress;

/* Reads the files of LIST into PROFILE.  LOSSLESS is for what writes a file
 * anew: see reader.h.  False: ERROR says why.  Release PROFILE even then. */
bool profile_load_list(struct profile *profile, const struct input_list *list,
                       bool lossless, struct progress *progress,
                       struct mprof_error *error);

/* The same for what would be in a file; errors call it "memory". */
bool profile_load_octets(struct profile *profile, struct input_octets octets,
                         struct mprof_error *error);

/* The same for the COUNT files or folders NAMES, "mprof.data" when there are
 * none, to be looked at. */
bool profile_load(struct profile *profile, const char *const *names,
                  size_t count, struct progress *progress,
                  struct mprof_error *error);

/* The same for OPERAND: one of these, or several with commas between them. */
bool profile_load_joined(struct profile *profile, const char *operand,
                         struct progress *progress,
                         struct mprof_error *error);

/* Writes PROFILE to the file PATH, completely or not at all.  False: ERROR
 * says why. */
bool profile_save(const struct profile *profile, const char *path,
                  struct mprof_error *error);

#endif
