/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile that the command has, for a library of mprof's that takes what
 * mprof_profile_open gives out.
 */

#ifndef MPROF_PROFILE_HANDLE_H
#define MPROF_PROFILE_HANDLE_H

#include "pprof/profile.h"

/* The handle of PROFILE, which it owns from now on; NULL when memory runs
 * out, and then it is released. */
void *profile_handle(struct profile *profile);

#endif
