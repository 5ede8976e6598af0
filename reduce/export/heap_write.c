/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each part that is written is a profile again, with what its samples use and
 * nothing else.
 */

#include "common/pprof_format.h"
#include "export/heap_profile.h"
#include "pprof/writer.h"
#include "tables/scratch.h"

#include <string.h>

static const struct {
  const char *type, *unit;
} columns[HEAP_COLUMNS] = {
    [HEAP_ALLOC_OBJECTS] = {"alloc_objects", "count"},
    [HEAP_ALLOC_SPACE] = {"alloc_space", "bytes"},
    [HEAP_INUSE_OBJECTS] = {"inuse_objects", "count"},
    [HEAP_INUSE_SPACE] = {"inuse_space", "bytes"},
};

/* A part under way: by location and node of the whole what is it in the
 * part, 0: nothing yet. */
struct part {
  const struct profile *whole;
  struct profile profile;
  uint32_t *locations, *nodes;
};

/* The location of the part. */
static uint32_t
part_location(struct part *part, uint32_t index)
{
  if (part->locations[index] != 0)
    return part->locations[index] - 1;
  const struct profile_location *location = &part->whole->locations[index];
  const struct profile_line *line = &part->whole->lines[location->first_line];
  const struct names *from = &part->whole->names;
  struct names *to = &part->profile.names;
  struct profile_function function = part->whole->functions[line->function];
  function.name = names_intern(to, names_text(from, function.name));
  function.file = names_intern(to, names_text(from, function.file));
  const uint32_t made = profile_add_function(&part->profile, function);
  part->locations[index] =
      1 + profile_add_location(
              &part->profile,
              (struct profile_location){.address = location->address},
              &(struct profile_line){made, line->line, 0}, 1);
  return part->locations[index] - 1;
}

static uint32_t
part_node(struct part *part, uint32_t node)
{
  const struct tree_node *nodes = part->whole->tree.nodes;
  uint32_t chain[HEAP_MOST_FRAMES + 1];
  size_t length = 0;
  for (; part->nodes[node] == 0 && node != TREE_ROOT;
       node = nodes[node].parent)
    chain[length++] = node;
  uint32_t up = part->nodes[node];
  while (length > 0) {
    node = chain[--length];
    up = tree_child(&part->profile.tree, up,
                    part_location(part, nodes[node].item & ~HEAP_TYPE));
    part->nodes[node] = up;
  }
  return up;
}

/* The name of the type that NODE is, where that becomes a label; else NULL.
 * A sample has one frame at least. */
static const char *
label_of(const struct profile *whole, uint32_t node,
         const struct heap_writing *how)
{
  const struct tree_node *leaf = &whole->tree.nodes[node];
  if (how->type_frames || (leaf->item & HEAP_TYPE) == 0 ||
      leaf->parent == TREE_ROOT)
    return NULL;
  const struct profile_location *location =
      &whole->locations[leaf->item & ~HEAP_TYPE];
  const uint32_t function = whole->lines[location->first_line].function;
  return names_text(&whole->names, whole->functions[function].name);
}

/* The set of labels for a TYPE, which may be NULL. */
static uint32_t
part_labels(struct part *part, const char *type)
{
  uint64_t row[1 + LABEL_WORDS] = {0};
  if (type == NULL)
    return profile_labels(&part->profile, row, 1);
  row[1] = names_intern(&part->profile.names, PPROF_LABEL_TYPE);
  row[2] = names_intern(&part->profile.names, type);
  return profile_labels(&part->profile, row, 1 + LABEL_WORDS);
}

static void
make_comments(struct profile *profile, const char *text)
{
  char *rest = pool_text(text == NULL ? "" : text), *line;
  while ((line = strsep(&rest, "\n")) != NULL)
    if (*line != '\0')
      profile_add_comment(profile, names_intern(&profile->names, line));
}

static void
make_heading(struct profile *profile, const struct heap_writing *how)
{
  struct names *names = &profile->names;
  profile->columns = pool_zeroed(HEAP_COLUMNS, sizeof *profile->columns);
  profile->column_count = HEAP_COLUMNS;
  for (int i = 0; i < HEAP_COLUMNS; i++) {
    profile->columns[i].type = names_intern(names, columns[i].type);
    profile->columns[i].unit = names_intern(names, columns[i].unit);
  }
  profile->default_type = profile->columns[how->shown].type;
  profile->period_type = (struct profile_value_type){
      names_intern(names, "space"), names_intern(names, "bytes")};
  profile->period = 1;
  profile->time_nanos = how->time_nanos;
  profile->duration_nanos = how->duration_nanos;
  make_comments(profile, how->comments);
  profile_add_mapping(profile, (struct profile_mapping){
                                   .end = HEAP_ADDRESS_LIMIT, .flags = 7});
}

static void
make_part(struct part *part, const struct heap_profile *heap, size_t first,
          size_t count, const struct heap_writing *how)
{
  static const uint64_t nothing[HEAP_COLUMNS];
  for (size_t i = first; i < first + count; i++) {
    const uint32_t whole_node = heap->samples[i];
    uint64_t values[HEAP_COLUMNS] = {0};
    for (int column = 0; column < HEAP_COLUMNS; column++)
      if ((how->columns >> column & 1) != 0)
        values[column] = (uint64_t)heap->values[whole_node][column];
    if (memcmp(values, nothing, sizeof nothing) == 0)
      continue;
    const char *type = label_of(part->whole, whole_node, how);
    const uint32_t labels = part_labels(part, type);
    const uint32_t node = part_node(
        part, type == NULL ? whole_node
                           : part->whole->tree.nodes[whole_node].parent);
    profile_add_sample(&part->profile, (struct profile_sample){node, labels},
                       values);
  }
}

void
heap_profile_write(const struct heap_profile *heap, size_t first,
                   size_t count, const struct heap_writing *how,
                   struct sink *sink)
{
  const struct profile *whole = &heap->profile;
  struct scratch *scratch = scratch_begin();
  struct part part = {.whole = whole};
  part.locations = pool_zeroed(whole->location_count, sizeof *part.locations);
  part.nodes = pool_zeroed(whole->tree.count, sizeof *part.nodes);
  profile_init(&part.profile);
  make_heading(&part.profile, how);
  make_part(&part, heap, first, count, how);
  profile_write(&part.profile, true, sink);
  scratch_end(scratch);
}
