/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is added is a profile with chains of its own, whose values stand by
 * node until all is added.  heap_write.c writes it.
 */

#include "export/heap_profile.h"

#include "analysis/call_tree.h"
#include "analysis/tally.h"
#include "base/array.h"
#include "tables/scratch.h"

#include <string.h>

/* What of a profile that is added is which column. */
static const int uses[HEAP_COLUMNS] = {
    [HEAP_ALLOC_OBJECTS] = MEASURE_ALLOCS,
    [HEAP_ALLOC_SPACE] = MEASURE_BYTES,
    [HEAP_INUSE_OBJECTS] = MEASURE_KEPT_ALLOCS,
    [HEAP_INUSE_SPACE] = MEASURE_KEPT_BYTES,
};

void
heap_profile_init(struct heap_profile *heap)
{
  *heap = (struct heap_profile){0};
  profile_init(&heap->profile);
}

/* ---- locations ---- */

/* FNV-1a: the same in each process and at each time. */
static uint64_t
hash(uint64_t so_far, const void *bytes, size_t length)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < length; i++)
    so_far = (so_far ^ byte[i]) * UINT64_C(0x100000001B3);
  return so_far;
}

/* An address that no other location has.  It follows from what the location
 * is, so that the next profile has it, too. */
static uint64_t
make_address(struct heap_profile *heap, const char *name, const char *file,
             int64_t line, uint64_t code)
{
  uint64_t address = UINT64_C(0xCBF29CE484222325);
  address = hash(address, name, strlen(name) + 1);
  address = hash(address, file, strlen(file) + 1);
  address = hash(address, &line, sizeof line);
  address = hash(address, &code, sizeof code) % HEAP_ADDRESS_LIMIT;
  while (address == 0 ||
         index_map_find(&heap->addresses, address) != INDEX_NONE)
    address = (address + 1) % HEAP_ADDRESS_LIMIT;
  return address;
}

/* The location of a function, at LINE of it and CODE, 0 where not known. */
static uint32_t
add_location(struct heap_profile *heap, const char *name, const char *file,
             int64_t start_line, int64_t line, uint64_t code)
{
  struct profile *profile = &heap->profile;
  const struct profile_function function = {
      names_intern(&profile->names, name), 0,
      names_intern(&profile->names, file), start_line};
  const uint32_t index = profile_add_function(profile, function);
  /* The address of the code tells it from others until it has its own. */
  const size_t before = profile->location_count;
  const uint32_t location = profile_add_location(
      profile, (struct profile_location){.address = code},
      &(struct profile_line){index, line, 0}, 1);
  if (location < before)
    return location;
  const uint64_t address = make_address(heap, name, file, line, code);
  profile->locations[location].address = address;
  index_map_add(&heap->addresses, address, location);
  return location;
}

static uint32_t
add_item(struct heap_profile *heap, const struct selection *selection,
         const struct call_item *item)
{
  const struct frame_table *frames = selection->frames;
  if (item->function == INDEX_NONE)
    return add_location(heap, item->name, "", 0, 0, 0);
  const struct function *function = &frames->functions[item->function];
  const bool elsewhere = call_item_is_elsewhere(frames, item);
  return add_location(
      heap, item->name,
      names_text(&frames->names, elsewhere ? item->file : function->file),
      elsewhere ? 0 : function->start_line, item->line, item->address);
}

/* ---- chains ---- */

/* What is added: by item and type of it the locations, by node the nodes. */
struct adding {
  struct heap_profile *heap;
  const struct selection *selection;
  struct call_tree tree;
  uint32_t *items, *types, *nodes, *depths;
};

/* The node of the chain of NODE, of which the outermost frames are left
 * out. */
static uint32_t
add_deep_chain(struct adding *adding, uint32_t node)
{
  const struct tree_node *nodes = adding->tree.tree.nodes;
  uint32_t chain[HEAP_MOST_FRAMES];
  uint32_t up = TREE_ROOT;
  size_t length = 0;
  for (; length < HEAP_MOST_FRAMES; node = nodes[node].parent)
    chain[length++] = nodes[node].item;
  while (length > 0)
    up = tree_child(&adding->heap->profile.tree, up,
                    adding->items[chain[--length]]);
  return up;
}

static void
add_chains(struct adding *adding)
{
  const struct tree_node *nodes = adding->tree.tree.nodes;
  struct heap_profile *heap = adding->heap;
  for (size_t i = 0; i < adding->tree.item_count; i++)
    adding->items[i] =
        add_item(heap, adding->selection, &adding->tree.items[i]);
  for (uint32_t i = 1; i < adding->tree.tree.count; i++) {
    const uint32_t parent = nodes[i].parent;
    adding->depths[i] = adding->depths[parent] + 1;
    if (adding->depths[i] <= HEAP_MOST_FRAMES)
      adding->nodes[i] =
          tree_child(&heap->profile.tree, adding->nodes[parent],
                     adding->items[nodes[i].item]);
  }
}

/* The location of a type, 1 more than its number; 0: it has no name. */
static uint32_t
type_location(struct adding *adding, uint32_t type)
{
  const struct profile *profile = adding->selection->profile;
  const char *name = tally_type_name(profile, &profile->types[type]);
  if (adding->types[type] == 0 && *name != '\0')
    adding->types[type] = 1 + add_location(adding->heap, name, "", 0, 0, 0);
  return adding->types[type];
}

/* The node of COUNT, which was allocated at NODE. */
static uint32_t
sample_node(struct adding *adding, uint32_t node,
            const struct sample_count *count)
{
  const uint32_t up = adding->depths[node] > HEAP_MOST_FRAMES
                          ? add_deep_chain(adding, node)
                          : adding->nodes[node];
  const uint32_t type = type_location(adding, count->type);
  return type == 0 ? up
                   : tree_child(&adding->heap->profile.tree, up,
                                HEAP_TYPE | (type - 1));
}

static void
add_sample(struct adding *adding, size_t i, int sign, unsigned which)
{
  struct heap_profile *heap = adding->heap;
  struct sample_count count;
  bool any = false;
  selection_count(adding->selection, i, &count);
  for (int column = 0; column < HEAP_COLUMNS; column++)
    any = any ||
          ((which >> column & 1) != 0 && count.counts[uses[column]] != 0);
  if (!any)
    return;
  const uint32_t node =
      sample_node(adding, adding->tree.of_sample[i], &count);
  const size_t room = heap->value_capacity;
  ARRAY_ROOM(heap->values, heap->value_capacity, node + (size_t)1);
  memset(heap->values + room, 0,
         (heap->value_capacity - room) * sizeof *heap->values);
  for (int column = 0; column < HEAP_COLUMNS; column++)
    if ((which >> column & 1) != 0)
      heap->values[node][column] +=
          sign * (int64_t)count.counts[uses[column]];
}

void
heap_profile_add(struct heap_profile *heap, const struct selection *selection,
                 int sign, unsigned which)
{
  const struct profile *profile = selection->profile;
  struct scratch *scratch = scratch_begin();
  struct adding adding = {.heap = heap, .selection = selection};
  call_tree_init(&adding.tree, selection, ITEMS_ARE_FRAMES, false);
  const size_t nodes = adding.tree.tree.count;
  adding.items = pool_zeroed(adding.tree.item_count, sizeof *adding.items);
  adding.types = pool_zeroed(profile->type_count, sizeof *adding.types);
  adding.nodes = pool_zeroed(nodes, sizeof *adding.nodes);
  adding.depths = pool_zeroed(nodes, sizeof *adding.depths);
  pool_use(scratch->outer);
  add_chains(&adding);
  for (size_t i = 0; i < profile->sample_count; i++)
    if (adding.tree.of_sample[i] != INDEX_NONE)
      add_sample(&adding, i, sign, which);
  scratch_end(scratch);
}

void
heap_profile_end(struct heap_profile *heap)
{
  const size_t count = heap->profile.tree.count < heap->value_capacity
                           ? heap->profile.tree.count
                           : heap->value_capacity;
  static const int64_t nothing[HEAP_COLUMNS];
  pool_free(heap->samples);
  heap->sample_count = 0;
  heap->samples = pool_zeroed(count, sizeof *heap->samples);
  for (size_t i = 1; i < count; i++)
    if (memcmp(heap->values[i], nothing, sizeof nothing) != 0)
      heap->samples[heap->sample_count++] = (uint32_t)i;
}

int64_t
heap_profile_sum(const struct heap_profile *heap, size_t first, size_t count,
                 enum heap_column column)
{
  int64_t sum = 0;
  for (size_t i = first; i < first + count; i++)
    sum += heap->values[heap->samples[i]][column];
  return sum;
}
