/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Roles are found once for each function; then one walk of each chain, from
 * its root to its leaf, unless the file states the phase.
 */

#include "profile/sample_phases.h"

#include "profile/array.h"

#include <stdlib.h>

/* The role of each function of PROFILE; NULL when memory runs out. */
static unsigned char *
find_roles(const struct profile *profile)
{
  unsigned char *roles = array_zeroed(profile->function_count, sizeof *roles);
  if (roles == NULL || profile->language != LANGUAGE_LISP)
    return roles;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *function = &profile->functions[i];
    roles[i] = (unsigned char)phase_role_of(
        names_text(&profile->names, function->name),
        names_text(&profile->names, function->file), function->runtime);
    /* whatever it is called: so the monitor has it, too, which does not know
     * C names while it counts */
    if (function->c && !function->runtime)
      roles[i] = ROLE_PROGRAM;
  }
  return roles;
}

unsigned char *
sample_phases(const struct profile *profile, const size_t *lengths)
{
  unsigned char *roles = find_roles(profile);
  unsigned char *phases = array_zeroed(profile->sample_count, sizeof *phases);
  for (size_t s = 0;
       roles != NULL && phases != NULL && s < profile->sample_count; s++) {
    const uint32_t *chain = profile->chains + profile->samples[s].first_frame;
    if (profile->samples[s].phase != PHASE_COUNT) {
      phases[s] = profile->samples[s].phase;
      continue;
    }
    enum phase_state state = STATE_RUN;
    for (size_t i = lengths[s]; i-- > 0;)
      state = phase_next(
          state, (enum phase_role)roles[profile->frames[chain[i]].function]);
    phases[s] = (unsigned char)phase_of_state(state);
  }
  if (roles == NULL) {
    free(phases);
    phases = NULL;
  }
  free(roles);
  return phases;
}
