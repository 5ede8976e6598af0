/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A hash table of samples, by the names on their chains that show.  Samples
 * of one chain are compared name by name: no two chains are taken for one.
 */

#include "graph/context_count.h"

#include "profile/array.h"
#include "profile/index_map.h"

#include <stdlib.h>

struct slot {
  uint32_t sample; /* INDEX_NONE: free */
  uint32_t hash;
};

/* The functions of a chain that show, leaf first. */
struct walk {
  const struct selection *selection;
  const uint32_t *frame;
  size_t left;
};

static struct walk
walk_begin(const struct selection *selection,
           const struct profile_sample *sample)
{
  struct walk walk = {.selection = selection};
  walk.frame = selection_chain(selection, sample, &walk.left);
  return walk;
}

/* The name of the next function; NAMES_NONE at the end. */
static uint32_t
walk_next(struct walk *walk)
{
  const struct profile *profile = walk->selection->profile;
  while (walk->left > 0) {
    uint32_t function = profile->frames[*walk->frame].function;
    walk->frame++;
    walk->left--;
    if (!walk->selection->hidden[function])
      return profile->functions[function].name;
  }
  return NAMES_NONE;
}

static uint32_t
hash_chain(const struct selection *selection,
           const struct profile_sample *sample)
{
  struct walk walk = walk_begin(selection, sample);
  uint64_t hash = 0;
  for (uint32_t name; (name = walk_next(&walk)) != NAMES_NONE;)
    hash = (hash + name + 1) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(hash >> 32);
}

/* Whether the chains of A and B show the same; of those that show nothing,
 * whether it is for the same reason. */
static bool
same_chain(const struct selection *selection, const struct profile_sample *a,
           const struct profile_sample *b)
{
  struct walk left = walk_begin(selection, a);
  struct walk right = walk_begin(selection, b);
  uint32_t name = walk_next(&left);
  if (name == NAMES_NONE && walk_next(&right) == NAMES_NONE)
    return selection_nameless(selection, a) ==
           selection_nameless(selection, b);
  right = walk_begin(selection, b);
  while (name == walk_next(&right)) {
    if (name == NAMES_NONE)
      return true;
    name = walk_next(&left);
  }
  return false;
}

static bool
counts(const struct selection *selection, size_t i)
{
  const struct profile_sample *sample = &selection->profile->samples[i];
  return selection->kept[i] && (sample->allocs != 0 || sample->bytes != 0);
}

bool
context_count(const struct selection *selection, uint64_t *count)
{
  const struct profile *profile = selection->profile;
  size_t slot_count = 16;
  *count = 0;
  for (size_t i = 0, used = 0; i < profile->sample_count; i++)
    if (counts(selection, i) && 2 * ++used > slot_count)
      slot_count *= 2;
  struct slot *slots = array_zeroed(slot_count, sizeof *slots);
  if (slots == NULL)
    return false;
  for (size_t i = 0; i < slot_count; i++)
    slots[i].sample = INDEX_NONE;
  for (uint32_t i = 0; i < profile->sample_count; i++) {
    if (!counts(selection, i))
      continue;
    uint32_t hash = hash_chain(selection, &profile->samples[i]);
    size_t place = hash & (slot_count - 1);
    while (slots[place].sample != INDEX_NONE &&
           (slots[place].hash != hash ||
            !same_chain(selection, &profile->samples[slots[place].sample],
                        &profile->samples[i])))
      place = (place + 1) & (slot_count - 1);
    if (slots[place].sample != INDEX_NONE)
      continue;
    slots[place] = (struct slot){i, hash};
    ++*count;
  }
  free(slots);
  return true;
}
