/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nodes are made as chains lead to them. */

#include "pprof/chain_path.h"

#include <inttypes.h>
#include <string.h>

/* How many locations from the root on IDS have in common with the path. */
static size_t
shared(const struct chain_path *path, const struct numbers *ids)
{
  const struct numbers *last = &path->ids;
  size_t most = ids->count < path->length ? ids->count : path->length;
  size_t shared = 0;
  while (shared < most && ids->items[ids->count - 1 - shared] ==
                              last->items[last->count - 1 - shared])
    shared++;
  return shared;
}

/* The text of LOCATION's frames, or more than there may be in all. */
static uint64_t
text_of_location(struct chain_path *path, const struct reading *reading,
                 uint32_t location)
{
  enum { FRAME_TEXT = 8 }; /* without the names */
  const struct profile *profile = reading->profile;
  const struct profile_location *l = &profile->locations[location];
  uint64_t *text = &path->texts[location];
  if (*text != 0)
    return *text;
  *text = FRAME_TEXT;
  for (size_t i = 0; i < l->line_count && *text <= reading->text_left; i++) {
    uint32_t number = profile->lines[l->first_line + i].function;
    *text += FRAME_TEXT;
    if (number == INDEX_NONE)
      continue;
    const struct profile_function *f = &profile->functions[number];
    *text += strlen(names_text(&profile->names, f->name)) +
             strlen(names_text(&profile->names, f->file));
  }
  return *text;
}

/* Goes from AT on to the node of LOCATION. */
static void
step(struct chain_path *path, const struct reading *reading,
     uint32_t location, struct path_step *at)
{
  struct profile *profile = reading->profile;
  uint64_t text = text_of_location(path, reading, location);
  if (__builtin_add_overflow(at->text, text, &at->text))
    at->text = UINT64_MAX;
  size_t known = profile->tree.count;
  at->node = tree_child(&profile->tree, at->node, location);
  if (profile->tree.count > known) {
    uint32_t lines = profile->locations[location].line_count;
    path->frames += lines == 0 ? 1 : lines;
  }
}

struct path_step
chain_path_find(struct chain_path *path, const struct reading *reading,
                size_t index, struct numbers *ids)
{
  struct numbers chain = *ids;
  size_t length = shared(path, ids);
  struct path_step at = {TREE_ROOT, 0};
  if (length > 0)
    at = path->steps[length - 1];
  ARRAY_ROOM(path->steps, path->capacity, chain.count);
  for (; length < chain.count; path->steps[length++] = at) {
    uint64_t id = chain.items[chain.count - 1 - length];
    uint32_t location = index_map_find(&reading->location_ids, id);
    if (location == INDEX_NONE)
      reading_fault(reading, PPROF_SAMPLE, index,
                    "sample %zu refers to location %" PRIu64
                    ", which is missing",
                    index, id);
    step(path, reading, location, &at);
  }
  path->length = length;
  *ids = path->ids;
  path->ids = chain;
  return at;
}
