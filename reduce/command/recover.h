/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From an image to a profile.
 */

#ifndef MPROF_COMMAND_RECOVER_H
#define MPROF_COMMAND_RECOVER_H

#include "base/mprof_error.h"
#include "pprof/profile.h"

#include <time.h>

/* Reads the image PATH as PROFILE, with names for its addresses.  False: ERROR
 * says why.  Release PROFILE even then. */
bool recover_profile(const char *path, struct profile *profile,
                     struct mprof_error *error);

/* Writes the profiles PATH and PATH.PID of the images that belong to them, and
 * removes these: all that were made SINCE, in seconds since the epoch, by
 * processes that are gone.  False: ERROR says why. */
bool recover_in_place(const char *path, time_t since,
                      struct mprof_error *error);

#endif
