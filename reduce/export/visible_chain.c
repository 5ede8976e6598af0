/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One pass over a chain, from the root. */

#include "export/visible_chain.h"

#include "profile/array.h"

#include <string.h>

bool
visible_chain_trace(struct visible_chain *chain,
                    const struct selection *selection,
                    const struct profile_sample *sample)
{
  size_t length;
  const uint32_t *frames = selection_chain(selection, sample, &length);
  uint32_t *room = array_reserve(chain->frames, &chain->capacity, length,
                                 sizeof *chain->frames);
  if (room == NULL)
    return false;
  chain->frames = room;
  chain->count = 0;
  for (size_t i = length; i-- > 0;)
    if (!selection->hidden[selection->profile->frames[frames[i]].function])
      room[chain->count++] = frames[i];
  return true;
}

void
visible_chain_release(struct visible_chain *chain)
{
  free(chain->frames);
  memset(chain, 0, sizeof *chain);
}
