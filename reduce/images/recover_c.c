/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes the profile of a C program's image: a leaf becomes a sample of
 * objects.
 */

#include "c/count/monitor.h"
#include "code/function_numbers.h"
#include "images/building.h"
#include "images/image_reader.h"

#include <inttypes.h>

/* ---- files of code ---- */

/* Adds the files that code was from.  The program comes first, and files that
 * were unloaded last. */
static void
add_mappings(struct building *b)
{
  const struct image_notes *notes = &b->notes;
  b->mappings = pool_zeroed(notes->module_count, sizeof *b->mappings);
  for (size_t n = 0; n < 2 * notes->module_count; n++) {
    const size_t i = n % notes->module_count;
    const struct note_module *m = &notes->modules[i];
    const bool good =
        strspn(m->build_id, "0123456789abcdef") == strlen(m->build_id);
    struct profile_mapping mapping = {
        .start = m->start, .end = m->end, .offset = m->offset};
    if ((m->number != 0) != (n >= notes->module_count))
      continue;
    mapping.file = building_name(b, m->path);
    mapping.build_id = building_name(b, good ? m->build_id : "");
    b->mappings[i] = profile_add_mapping(b->reading.profile, mapping);
  }
}

/* ---- locations ---- */

/* Returns the name of a SITE without an address: callers over the budget,
 * libraries beyond CODE_OBJECTS, or where a walk stopped. */
static const char *
special_name(uint64_t site)
{
  if ((site & SITE_RETIRED) != 0)
    return "[unloaded code]";
  return site == (SITE_SPECIAL | SITE_CUT_SHORT) ? "[cut short]"
                                                 : "[over the budget]";
}

/* Adds the location of SITE.  Its address is in the call, not behind it. */
static uint32_t
location(struct building *b, uint64_t site)
{
  const bool unloaded = (site & SITE_RETIRED) != 0;
  uint64_t offset, address = 0;
  const struct note_module *module =
      (site & SITE_SPECIAL) != 0
          ? NULL
          : image_module(&b->notes, unloaded ? site : site - 1, unloaded,
                         &offset);
  if ((site & SITE_SPECIAL) == 0 && !unloaded)
    address = site;
  else if (module != NULL)
    address = module->start + offset;
  if (address == 0)
    return building_location(
        b, 0,
        &(struct building_function){.name = special_name(site),
                                    .system_name = ""},
        0, 0);
  const struct profile_location location = {
      .mapping = module == NULL ? INDEX_NONE
                                : b->mappings[module - b->notes.modules],
      .address = address - 1};
  return profile_add_location(b->reading.profile, location, NULL, 0);
}

/* ---- labels ---- */

static void
add_labels(struct building *b, const struct kind *kind)
{
  if (kind == NULL)
    return;
  if (kind->size != LEAF_LARGE)
    building_number_label(b, PPROF_LABEL_BYTES, kind->size, "bytes");
  if (ORIGIN_THREAD(kind->origin) != 0)
    building_label(b, PPROF_LABEL_THREAD,
                   image_note_text(&b->notes, NOTE_THREAD,
                                   ORIGIN_THREAD(kind->origin), "?"));
  building_region_label(b, kind->region);
}

/* ---- samples ---- */

/* Returns whether FUNCTION, called below UP, is called by the same function
 * further out as well. */
static bool
arc_is_above(const struct context *contexts, uint32_t up, uint32_t function)
{
  const uint32_t caller = contexts[up].function;
  if (function == 0 || caller == 0)
    return false;
  for (; up != CONTEXT_ROOT; up = contexts[up].parent)
    if (contexts[up].function == function &&
        contexts[contexts[up].parent].function == caller)
      return true;
  return false;
}

static void
add_leaf(struct building *b, uint32_t number)
{
  const struct c_counters *counters = &b->counters;
  const struct context_tree *tree = counters->tree;
  const struct leaf *leaf = &tree->leaves[number];
  const struct leaf_counters own = counters->by_leaf[number];
  const struct leaf_loss loss = counters->losses[number];
  const uint64_t values[PPROF_COLUMNS] = {
      [PPROF_COUNT] = leaf->count,
      [PPROF_BYTES] = leaf->bytes,
      [PPROF_KEPT_COUNT] = own.allocated.count - own.freed.count,
      [PPROF_KEPT_BYTES] = own.allocated.bytes - own.freed.bytes,
      [PPROF_FREED_COUNT] = own.freed.count,
      [PPROF_FREED_BYTES] = own.freed.bytes,
      [PPROF_CALLS] = arc_is_above(tree->contexts, leaf->up, leaf->function)
                          ? 0
                          : leaf->count,
      [PPROF_PEAK_COUNT] = own.at_peak.count,
      [PPROF_PEAK_BYTES] = own.at_peak.bytes,
      [PPROF_TEMPORARY] = own.temporary_count,
      [PPROF_LOST_COUNT] = loss.direct.count,
      [PPROF_LOST_BYTES] = loss.direct.bytes,
      [PPROF_INDIRECT_COUNT] = loss.indirect.count,
      [PPROF_INDIRECT_BYTES] = loss.indirect.bytes,
  };
  if (leaf->count != 0)
    building_leaf(b, number, leaf->up, values);
}

/* Returns, by node of PROFILE, the allocations of longer chains in its
 * samples from FIRST on. */
static uint64_t *
sum_below(const struct profile *profile, size_t first)
{
  const struct tree *tree = &profile->tree;
  uint64_t *below = pool_zeroed(tree->count, sizeof *below);
  for (size_t i = first; i < profile->sample_count; i++)
    below[profile->samples[i].node] +=
        profile_value(profile, i, MEASURE_ALLOCS);
  for (size_t i = tree->count; i-- > TREE_ROOT + 1;)
    below[tree->nodes[i].parent] += below[i];
  for (size_t i = first; i < profile->sample_count; i++)
    below[profile->samples[i].node] -=
        profile_value(profile, i, MEASURE_ALLOCS);
  return below;
}

/* Adds samples of calls.  The allocations below a node are the calls that led
 * to one, once each however often a function called the other on the way: a
 * context of a call that is on its chain already counts none.  The tree knows
 * of most calls whether they are the first of their kind. */
static void
add_calls(struct building *b)
{
  const struct context_tree *tree = b->counters.tree;
  const struct reading *reading = &b->reading;
  uint64_t values[PPROF_COLUMNS] = {0};
  uint32_t labels = 0;
  uint64_t *calls = sum_below(reading->profile, reading->first_sample);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *c = &tree->contexts[i];
    if ((c->marks & CONTEXT_NEW_ARC) == 0 &&
        arc_is_above(tree->contexts, c->parent, c->function))
      calls[b->contexts[i].node] = 0;
  }
  for (uint32_t i = TREE_ROOT + 1; i < reading->profile->tree.count; i++) {
    values[PPROF_CALLS] = calls[i];
    sample_begin(&b->reading);
    if (calls[i] != 0)
      building_put(b, i, &labels, values);
  }
  pool_free(calls);
}

/* ---- comments ---- */

static void
add_comments(struct building *b)
{
  const struct c_counters *c = &b->counters;
  const struct image_notes *notes = &b->notes;
  const struct losses *losses = b->image->losses;
  building_comment(b, PPROF_COMMENT_VERSION, MPROF_VERSION);
  building_comment(b, PPROF_COMMENT_LANGUAGE, "c");
  if (notes->module_count > 0)
    building_comment(b, PPROF_COMMENT_PROGRAM, notes->modules[0].path);
  building_count(b, PPROF_COMMENT_ALLOCATIONS, c->total.count);
  building_count(b, PPROF_COMMENT_BYTES, c->total.bytes);
  building_count(b, PPROF_COMMENT_PEAK_BYTES, c->total.peak_bytes);
  building_count(b, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
                 b->unattributed_count);
  building_count(b, PPROF_COMMENT_UNATTRIBUTED_BYTES, b->unattributed_bytes);
  building_count(b, PPROF_COMMENT_CUT_ALLOCATIONS, b->cut_count);
  for (size_t i = 0; i < notes->comment_count; i++)
    if (strchr(notes->comments[i], '=') != NULL)
      numbers_push(&b->reading.comments,
                   building_name(b, notes->comments[i]));
  if (losses != NULL && losses->unfound != 0)
    building_count(b, PPROF_COMMENT_UNFOUND_NOTE, losses->unfound);
  building_count(b, PPROF_COMMENT_CONTEXTS, c->contexts);
  building_count(b, PPROF_COMMENT_CONTEXT_BYTES, c->bytes);
  if ((b->image->head.flags & IMAGE_INCOMPLETE) != 0)
    building_comment(b, PPROF_COMMENT_UNATTRIBUTED_NOTE,
                     "the file had no room to grow");
  if (c->stripes.missed != 0)
    building_comment(b, PPROF_COMMENT_LOST_NOTE,
                     pool_format("allocations for which memory ran out: "
                                 "%" PRIu64,
                                 c->stripes.missed));
  building_regions(b, true);
}

/* ---- the whole ---- */

void
recover_c(struct building *b, struct image *image)
{
  static const struct building_source source = {add_labels, location, NULL};
  struct c_counters *counters = &b->counters;
  c_counters_find(counters, image);
  b->source = &source;
  building_begin(
      b, LANGUAGE_C,
      (image->losses != NULL ? PPROF_REACH_COLUMNS : PPROF_C_COLUMNS) |
          (image->timeline != NULL ? PPROF_FREED_COLUMNS : 0));
  add_mappings(b);
  if (image->timeline != NULL)
    building_timeline(b);
  building_tree(b, &image->trees[0]);
  for (uint32_t i = LEAF_OVERFLOW; i < counters->tree->leaf_count; i++)
    add_leaf(b, i);
  add_calls(b);
  add_comments(b);
  pool_free(counters->by_leaf);
  pool_free(counters->losses);
  building_end(b);
}
