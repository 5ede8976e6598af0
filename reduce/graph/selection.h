/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which samples count, and which frames show.
 *
 * Regular expressions are POSIX extended ones and match any part of a
 * function's name or of its file's name, as in pprof.  focus keeps the
 * samples with a matching frame on their chain, ignore drops those with one;
 * hide takes frames out of the chains, and what they allocated goes to the
 * nearest caller that shows; show takes out all but those that match;
 * show_from lets each chain begin at the first frame that shows and matches,
 * and drops chains without one.  Runtime functions are hidden in that same
 * way unless they are asked for; ECL's own Lisp functions when that is asked
 * for. phase, thread and region keep the samples of some phases, threads and
 * regions (each with those in it) alone, samples those whose numbers a file
 * has.  What session_root.h cuts off, unless it is asked for, is no part of a
 * chain, neither for showing nor for matching.
 *
 * focus and samples speak of allocations: calls are counted for the functions
 * and arcs that are left, whatever was allocated below them.  A call has the
 * phase in which the function that was called runs.
 */

#ifndef MPROF_SELECTION_H
#define MPROF_SELECTION_H

#include "command/options.h"
#include "io/mprof_error.h"
#include "profile/phase.h"
#include "profile/profile.h"

/* The regular expressions on functions. */
enum expression {
  EXPRESSION_FOCUS,
  EXPRESSION_IGNORE,
  EXPRESSION_HIDE,
  EXPRESSION_SHOW,
  EXPRESSION_SHOW_FROM,
  EXPRESSION_COUNT
};

/* The option for EXPRESSION, such as "show-from", and its value in OPTIONS,
 * NULL when not given. */
const char *expression_option(enum expression expression);
const char *expression_value(const struct options *options,
                             enum expression expression);

struct selection {
  const struct profile *profile; /* not owned */
  bool *hidden;                  /* by function */
  bool *kept;                    /* by sample: do its allocations count? */
  bool *calls_kept;              /* by sample: do its activations? */
  size_t *lengths;       /* by sample: frames, from the leaf, of its chain */
  unsigned char *phases; /* by sample: enum phase */
  bool has_focus;
  bool by_allocations; /* functions show for what they allocate, not called */
  bool narrowed;       /* some sample that allocates is left out */
  unsigned unmatched;  /* bit i: enum expression i matches no function */
  struct figures total; /* of the samples kept */
};

/* Selects from PROFILE, which must outlive it.  False: a bad regular
 * expression (a usage error) or memory; release it even then. */
bool selection_init(struct selection *selection,
                    const struct profile *profile,
                    const struct options *options, struct mprof_error *error);

void selection_release(struct selection *selection);

/* The frames of SAMPLE's chain, leaf first, and in *LENGTH their number;
 * owned by the profile.  Hidden ones are among them. */
static inline const uint32_t *
selection_chain(const struct selection *selection,
                const struct profile_sample *sample, size_t *length)
{
  const struct profile *profile = selection->profile;
  *length = selection->lengths[sample - profile->samples];
  return profile->chains + sample->first_frame;
}

/* Why a chain shows no frame at all. */
enum nameless {
  NAMELESS_UNKNOWN, /* the file has no frame for it */
  NAMELESS_HIDDEN,  /* by --hide or --hide-system */
  NAMELESS_RUNTIME, /* it has only runtime functions */
  NAMELESS_SESSION, /* it was cut off */
  NAMELESS_COUNT
};
enum nameless selection_nameless(const struct selection *selection,
                                 const struct profile_sample *sample);

/* What shows in the place of the frames, such as "[runtime]". */
const char *nameless_name(enum nameless reason);

#endif
