/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How the command gives a profile that it reads itself to the library that
 * serves, which knows profiles by mprof.h. */

#pragma once

#include "base/pool.h"
#include "pprof/profile.h"

/* Returns what mprof_profile_open returns, of the profile that FILL makes
 * with CLOSURE in an attempt in its own pool.  On failure returns NULL, and
 * ERROR says why. */
typedef void profile_fill(struct profile *profile, void *closure);
void *profile_handle(profile_fill *fill, void *closure,
                     struct mprof_error *error);
