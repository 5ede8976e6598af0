/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which samples count, and which frames show.
 *
 * Regular expressions are POSIX extended ones and match any part of a
 * function's name or of its file's name, as in pprof.  focus keeps the
 * samples with a matching frame on their chain, ignore drops those with one;
 * hide takes frames out of the chains, and what they allocated goes to the
 * nearest caller that shows.  Runtime functions are hidden in that same way
 * unless they are asked for.
 *
 * focus speaks of allocations: calls are counted for the functions and arcs
 * that are left, whatever was allocated below them.
 */

#ifndef MPROF_SELECTION_H
#define MPROF_SELECTION_H

#include "mprof_error.h"
#include "options.h"
#include "profile.h"

struct selection {
  const struct profile *profile; /* not owned */
  bool *hidden;                  /* by function */
  bool *kept;                    /* by sample */
  bool has_focus;
  bool narrowed;        /* some sample that allocates is left out */
  struct figures total; /* of the samples kept */
};

/* Selects from PROFILE, which must outlive it.  False: a bad regular
 * expression (a usage error) or memory; release it even then. */
bool selection_init(struct selection *selection,
                    const struct profile *profile,
                    const struct options *options, struct mprof_error *error);

void selection_release(struct selection *selection);

/* Why a chain shows no frame at all: the name to show in its place. */
const char *selection_nameless(const struct selection *selection,
                               const struct profile_sample *sample);

#endif
