/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cutting a chain that holds the function is one search from its root.  The
 * work is in the activations whose chains do not: are they on the way to the
 * function, or elsewhere, say in another thread?  All paths that lead to the
 * function, and all that lead to allocations elsewhere, are kept as one tree,
 * a number for each path, found by its parent's number and its last function.
 * An activation of a path that leads to the function alone does not count.
 *
 * The monitor folds recursion, and writes a folded activation with a path
 * that no allocation has; but folding keeps every arc.  So an activation of a
 * path in neither set counts if its last arc leads to allocations elsewhere.
 */

#include "profile/session_root.h"

#include "profile/array.h"

#include <string.h>

enum { EMPTY_PATH = 0, NO_CALLER = INDEX_NONE };

enum path_mark { LEADS_TO_ROOT = 1, LEADS_ELSEWHERE = 2 };

struct cutting {
  const struct profile *profile;
  bool *roots;           /* by function */
  size_t *lengths;       /* by sample; the result */
  struct index_map tree; /* path and function -> longer path */
  unsigned char *marks;  /* by path: sum of enum path_mark */
  size_t path_count, path_capacity;
  struct index_map arcs; /* caller and callee of chains elsewhere */
};

/* The function of frame I, counted from the leaf, of SAMPLE. */
static uint32_t
function_at(const struct cutting *cutting,
            const struct profile_sample *sample, size_t i)
{
  const struct profile *profile = cutting->profile;
  return profile->frames[profile->chains[sample->first_frame + i]].function;
}

/* Finds the functions that the comments name; false when there is none. */
static bool
find_roots(struct cutting *cutting)
{
  const struct profile *profile = cutting->profile;
  const char *name;
  bool any = false;
  for (size_t n = 0;
       (name = profile_comment(profile, "mprof.root", n)) != NULL; n++)
    for (size_t i = 0; i < profile->function_count; i++) {
      uint32_t id = profile->functions[i].name;
      if (id != 0 && strcmp(names_text(&profile->names, id), name) == 0)
        any = cutting->roots[i] = true;
    }
  return any;
}

static uint32_t
add_path(struct cutting *cutting, uint32_t parent, uint32_t function)
{
  unsigned char *marks =
      array_reserve(cutting->marks, &cutting->path_capacity,
                    cutting->path_count + 1, sizeof *marks);
  if (marks == NULL || cutting->path_count >= INDEX_NONE)
    return INDEX_NONE;
  cutting->marks = marks;
  uint32_t path = (uint32_t)cutting->path_count;
  if (path != EMPTY_PATH &&
      !index_map_add(&cutting->tree, index_pair(parent, function), path))
    return INDEX_NONE;
  marks[cutting->path_count++] = 0;
  return path;
}

/* Marks the paths of SAMPLE from the root down to its frame LAST with MARK,
 * and notes the arcs of those that lead elsewhere. */
static bool
mark_paths(struct cutting *cutting, const struct profile_sample *sample,
           size_t last, enum path_mark mark)
{
  uint32_t path = EMPTY_PATH;
  uint32_t caller = NO_CALLER;
  for (size_t i = sample->frame_count; i-- > last;) {
    uint32_t function = function_at(cutting, sample, i);
    uint32_t next =
        index_map_find(&cutting->tree, index_pair(path, function));
    if (next == INDEX_NONE)
      next = add_path(cutting, path, function);
    if (next == INDEX_NONE)
      return false;
    uint64_t arc = index_pair(caller, function);
    if (mark == LEADS_ELSEWHERE &&
        index_map_find(&cutting->arcs, arc) == INDEX_NONE &&
        !index_map_add(&cutting->arcs, arc, 0))
      return false;
    cutting->marks[next] |= (unsigned char)mark;
    caller = function;
    path = next;
  }
  return true;
}

/* Whether what LEFT and RIGHT have beyond their first frames, LEFT_FROM and
 * RIGHT_FROM of them, is the same. */
static bool
same_above(const struct profile *profile, const struct profile_sample *left,
           size_t left_from, const struct profile_sample *right,
           size_t right_from)
{
  const uint32_t *chains = profile->chains;
  size_t count = left->frame_count - left_from;
  return right->frame_count - right_from == count &&
         memcmp(chains + left->first_frame + left_from,
                chains + right->first_frame + right_from,
                count * sizeof *chains) == 0;
}

/* Cuts the chains that hold a root, and marks all paths. */
static bool
cut_chains(struct cutting *cutting)
{
  const struct profile *profile = cutting->profile;
  const struct profile_sample *before = NULL; /* the last that was cut */
  for (size_t s = 0; s < profile->sample_count; s++) {
    const struct profile_sample *sample = &profile->samples[s];
    size_t i = sample->frame_count;
    while (i > 0 && !cutting->roots[function_at(cutting, sample, i - 1)])
      i--;
    if (i == 0) {
      if ((sample->allocs != 0 || sample->bytes != 0) &&
          !mark_paths(cutting, sample, 0, LEADS_ELSEWHERE))
        return false;
      continue;
    }
    cutting->lengths[s] = i - 1;
    /* Almost always the same as before. */
    if (before == NULL ||
        !same_above(profile, sample, i, before,
                    cutting->lengths[before - profile->samples] + 1))
      if (!mark_paths(cutting, sample, i, LEADS_TO_ROOT))
        return false;
    before = sample;
  }
  return true;
}

/* Whether the activations of SAMPLE, whose chain holds no root, happened
 * elsewhere than on the way to one. */
static bool
happened_elsewhere(const struct cutting *cutting,
                   const struct profile_sample *sample)
{
  uint32_t path = EMPTY_PATH;
  for (size_t i = sample->frame_count; i-- > 0 && path != INDEX_NONE;)
    path = index_map_find(&cutting->tree,
                          index_pair(path, function_at(cutting, sample, i)));
  if (path != INDEX_NONE)
    return (cutting->marks[path] & LEADS_ELSEWHERE) != 0;
  uint32_t caller = sample->frame_count > 1 ? function_at(cutting, sample, 1)
                                            : (uint32_t)NO_CALLER;
  uint64_t arc = index_pair(caller, function_at(cutting, sample, 0));
  return index_map_find(&cutting->arcs, arc) != INDEX_NONE;
}

static void
drop_activations(struct cutting *cutting)
{
  const struct profile *profile = cutting->profile;
  for (size_t s = 0; s < profile->sample_count; s++) {
    const struct profile_sample *sample = &profile->samples[s];
    if (sample->activations != 0 && sample->allocs == 0 &&
        sample->bytes == 0 && sample->frame_count > 0 &&
        cutting->lengths[s] == sample->frame_count &&
        !happened_elsewhere(cutting, sample))
      cutting->lengths[s] = 0;
  }
}

bool
session_root_cut(const struct profile *profile, bool whole, size_t *lengths)
{
  struct cutting cutting = {.profile = profile, .lengths = lengths};
  for (size_t s = 0; s < profile->sample_count; s++)
    lengths[s] = profile->samples[s].frame_count;
  if (whole)
    return true;
  cutting.roots = array_zeroed(profile->function_count, sizeof(bool));
  bool good = cutting.roots != NULL;
  if (good && find_roots(&cutting)) {
    index_map_init(&cutting.tree);
    index_map_init(&cutting.arcs);
    good = add_path(&cutting, EMPTY_PATH, INDEX_NONE) == EMPTY_PATH &&
           cut_chains(&cutting);
    if (good)
      drop_activations(&cutting);
    index_map_release(&cutting.tree);
    index_map_release(&cutting.arcs);
  }
  free(cutting.roots);
  free(cutting.marks);
  return good;
}
