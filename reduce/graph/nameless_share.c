/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over the samples, with what is to be known of a function looked
 * up once.
 */

#include "graph/nameless_share.h"

#include "profile/array.h"

#include <string.h>

enum frame_kind { FRAME_NAMED, FRAME_NAMELESS, FRAME_HIDDEN };

bool
is_function_name(const char *text)
{
  size_t length = strlen(text);
  bool placeholder = length >= 2 && text[0] == '[' && text[length - 1] == ']';
  bool address = strncmp(text, "0x", 2) == 0;
  return length > 0 && !placeholder && !address &&
         strcmp(text, "(OUT-OF-MEMORY)") != 0;
}

static enum frame_kind
kind_of_function(const struct profile *profile,
                 const struct profile_function *function, bool show_runtime)
{
  if (function->runtime && !show_runtime)
    return FRAME_HIDDEN;
  return is_function_name(names_text(&profile->names, function->name))
             ? FRAME_NAMED
             : FRAME_NAMELESS;
}

bool
nameless_share_count(struct nameless_share *share,
                     const struct selection *selection, bool show_runtime)
{
  const struct profile *profile = selection->profile;
  *share = (struct nameless_share){0};
  enum frame_kind *kinds =
      array_zeroed(profile->function_count, sizeof *kinds);
  if (kinds == NULL)
    return false;
  for (size_t i = 0; i < profile->function_count; i++)
    kinds[i] =
        kind_of_function(profile, &profile->functions[i], show_runtime);
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    size_t length;
    const uint32_t *chain = selection_chain(selection, sample, &length);
    enum frame_kind leaf = FRAME_HIDDEN;
    bool any_nameless = false;
    for (size_t j = 0; j < length; j++) {
      enum frame_kind kind = kinds[profile->frames[chain[j]].function];
      leaf = leaf == FRAME_HIDDEN ? kind : leaf;
      any_nameless = any_nameless || kind == FRAME_NAMELESS;
    }
    if (leaf != FRAME_NAMED)
      share->leaf_bytes += sample->bytes;
    if (any_nameless || leaf == FRAME_HIDDEN)
      share->chain_bytes += sample->bytes;
  }
  free(kinds);
  return true;
}
