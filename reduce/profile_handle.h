/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile that the command has, for a library of mprof's that takes what
 * mprof_profile_open gives out.
 */

#ifndef MPROF_PROFILE_HANDLE_H
#define MPROF_PROFILE_HANDLE_H

#include "pprof/profile.h"

/* A handle of the profile that FILL makes with CLOSURE, in an attempt in the
 * handle's pool.  NULL: ERROR says why not. */
typedef void profile_fill(struct profile *profile, void *closure);
void *profile_handle(profile_fill *fill, void *closure,
                     struct mprof_error *error);

#endif
