/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From an image to a profile.
 */

#ifndef MPROF_COMMAND_RECOVER_H
#define MPROF_COMMAND_RECOVER_H

#include "base/mprof_error.h"
#include "pprof/profile.h"

/* Reads the image PATH as PROFILE, with names for its addresses.  False: ERROR
 * says why.  Release PROFILE even then. */
bool recover_profile(const char *path, struct profile *profile,
                     struct mprof_error *error);

/* Writes the profile PATH of the image that belongs to it, if there is one,
 * and removes that.  False: ERROR says why. */
bool recover_in_place(const char *path, struct mprof_error *error);

#endif
