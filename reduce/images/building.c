/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adds locations, chains, samples and comments to a profile that is made of
 * an image. */

#include "images/building.h"

#include "base/clock.h"
#include "common/region_path.h"
#include "images/recover.h"

#include <inttypes.h>

/* ---- begin and end ---- */

uint32_t
building_name(struct building *b, const char *text)
{
  return names_intern(&b->reading.profile->names, text);
}

static struct profile_value_type
value_type(struct building *b, const char *type, const char *unit)
{
  const uint32_t name = building_name(b, type);
  return (struct profile_value_type){name, building_name(b, unit)};
}

static void
find_regions(struct building *b)
{
  size_t length;
  b->regions = image_array(b->image, IMAGE_REGIONS, 0, &length);
  b->region_count = length / sizeof *b->regions;
  for (size_t i = 0; i < b->region_count; i++)
    b->regions[i].path[REGION_PATH_BYTES - 1] = '\0';
}

void
building_begin(struct building *b, enum language language, uint64_t columns)
{
  struct reading *reading = &b->reading;
  struct profile *heading = &reading->heading;
  b->columns = columns;
  reading->path = b->image->path;
  reading->first_sample = reading->profile->sample_count;
  reading->text_left = UINT64_MAX;
  heading->language = language;
  heading->by_mprof = true;
  heading->file_count = 1;
  heading->period = 1;
  heading->time_nanos = clock_nanos(CLOCK_REALTIME);
  heading->columns = pool_zeroed(PPROF_COLUMNS, sizeof *heading->columns);
  for (int i = 0; i < PPROF_COLUMNS; i++)
    if ((columns >> i & 1) != 0)
      heading->columns[heading->column_count++] =
          value_type(b, pprof_columns[i].type, pprof_columns[i].unit);
  heading->period_type = value_type(b, "space", "bytes");
  heading->default_type = building_name(b, pprof_columns[PPROF_BYTES].type);
  reading_columns(reading);
  find_regions(b);
}

void
building_end(struct building *b)
{
  reading_add_comments(&b->reading);
  reading_take(&b->reading,
               INPUT_MEMORY_FREE + INPUT_MEMORY_RATIO * b->image->bytes);
  pool_free(b->contexts);
}

/* ---- what chains are made of ---- */

uint32_t
building_location(struct building *b, uint64_t address,
                  const struct building_function *f, int64_t start,
                  int64_t line)
{
  struct profile *profile = b->reading.profile;
  struct profile_function function = {.start_line = start};
  function.name = building_name(b, f->name);
  function.system_name = building_name(b, f->system_name);
  function.file = building_name(b, f->file == NULL ? "" : f->file);
  const struct profile_line own = {
      .function = profile_add_function(profile, function), .line = line};
  return profile_add_location(
      profile,
      (struct profile_location){.mapping = INDEX_NONE, .address = address},
      &own, 1);
}

/* Returns the node below PARENT of a call at SITE; PARENT if SITE is 0. */
static uint32_t
node_below(struct building *b, uint32_t parent, uint64_t site)
{
  if (site == 0)
    return parent;
  uint32_t location = index_map_find(&b->sites, site);
  if (location == INDEX_NONE) {
    location = b->source->location(b, site);
    index_map_add(&b->sites, site, location);
  }
  return tree_child(&b->reading.profile->tree, parent, location);
}

/* Returns the context NUMBER; gives it a node, and those that it is below. */
static struct building_context
find_context(struct building *b, uint32_t number)
{
  const struct context *contexts = b->tree->contexts;
  uint32_t up = number;
  b->callers.count = 0;
  for (; up != CONTEXT_ROOT && b->contexts[up].node == TREE_ROOT;
       up = contexts[up].parent)
    numbers_push(&b->callers, up);
  while (b->callers.count > 0) {
    const uint32_t at = (uint32_t)b->callers.items[--b->callers.count];
    const struct context *c = &contexts[at];
    b->contexts[at] = (struct building_context){
        .node = node_below(b, b->contexts[up].node, c->site),
        .is_cut = up == CONTEXT_ROOT
                      ? c->site == (SITE_SPECIAL | SITE_CUT_SHORT)
                      : b->contexts[up].is_cut};
    up = at;
  }
  return b->contexts[number];
}

/* ---- samples ---- */

void
building_tree(struct building *b, const struct image_tree *tree)
{
  pool_free(b->contexts);
  pool_free(b->labels);
  b->tree = &tree->tree;
  b->owner = tree->owner;
  b->contexts = pool_zeroed(b->tree->context_count, sizeof *b->contexts);
  b->labels = pool_zeroed(b->tree->kind_count + (size_t)1, sizeof *b->labels);
}

void
building_label(struct building *b, const char *key, const char *text)
{
  const uint64_t name = building_name(b, key);
  const uint64_t label[LABEL_WORDS] = {name, building_name(b, text)};
  sample_label(&b->reading, label);
}

void
building_number_label(struct building *b, const char *key, uint64_t number,
                      const char *unit)
{
  const uint64_t label[LABEL_WORDS] = {building_name(b, key), 0, number,
                                       building_name(b, unit)};
  sample_label(&b->reading, label);
}

void
building_region_label(struct building *b, uint32_t number)
{
  if (number != 0)
    building_label(b, PPROF_LABEL_REGION,
                   number < b->region_count ? b->regions[number].path
                                            : "[not named yet]");
}

void
building_put(struct building *b, uint32_t node, uint32_t *labels,
             const uint64_t *values)
{
  uint32_t own = 0;
  struct numbers *to = &b->reading.values;
  numbers_reserve(to, PPROF_COLUMNS);
  for (int i = 0; i < PPROF_COLUMNS; i++)
    if ((b->columns >> i & 1) != 0)
      to->items[to->count++] = values[i];
  sample_check(&b->reading);
  sample_add(&b->reading, node, labels != NULL ? labels : &own);
  b->reading.sample++;
}

/* Returns the labels of objects of that KIND, for building_put. */
static uint32_t *
labels_of(struct building *b, const struct kind *kind)
{
  const bool timed = kind != NULL && b->image->timeline != NULL;
  uint32_t *labels =
      &b->labels[kind == NULL ? b->tree->kind_count
                              : (size_t)(kind - b->tree->kinds)];
  sample_begin(&b->reading);
  if (timed || *labels == 0)
    b->source->labels(b, kind);
  if (timed)
    building_number_label(b, PPROF_LABEL_TIME, b->time, "nanoseconds");
  return timed ? NULL : labels;
}

void
building_sample(struct building *b, uint64_t site, uint32_t up,
                const uint64_t *values, const struct kind *kind)
{
  const struct building_source *source = b->source;
  if (context_tree_is_over(b->tree, up)) {
    site = 0; /* which has its place already */
    b->unattributed_count += values[PPROF_COUNT];
    b->unattributed_bytes += values[PPROF_BYTES];
  }
  const struct building_context caller = find_context(b, up);
  uint32_t node = node_below(b, caller.node, site);
  if (site != 0 && kind != NULL && source->allocator != NULL)
    node = node_below(b, node, source->allocator(b, kind));
  if (caller.is_cut)
    b->cut_count += values[PPROF_COUNT];
  building_put(b, node, labels_of(b, kind), values);
}

/* ---- comments ---- */

void
building_comment(struct building *b, const char *key, const char *text)
{
  numbers_push(&b->reading.comments,
               building_name(b, pool_format("%s=%s", key, text)));
}

void
building_count(struct building *b, const char *key, uint64_t n)
{
  building_comment(b, key, pool_format("%" PRIu64, n));
}

void
building_regions(struct building *b, bool frees)
{
  for (size_t i = 1; i < b->region_count; i++) {
    const struct region *r = &b->regions[i];
    const bool pool = r->live_bytes > 0 && region_path_is_pool(r->path);
    const char *held =
        frees ? pool_format("%" PRIu64,
                            pool ? (uint64_t)r->live_bytes : r->held_bytes)
              : "-";
    if (r->entered != 0 || r->last != 0 || pool)
      building_comment(b, PPROF_COMMENT_REGION,
                       pool_format("%" PRIu64 " %" PRIu64 " %" PRIu64
                                   " %" PRIu64 " %s %s",
                                   r->entered, r->nanoseconds, r->first,
                                   r->last, held, r->path));
  }
}

/* ---- the whole ---- */

/* Returns whether OCTETS or the file PATH are an image. */
static bool
is_image(const char *path, struct input_octets octets)
{
  const size_t length = sizeof IMAGE_MAGIC - 1;
  struct image_head head;
  return octets.data == NULL
             ? image_read_head(path, &head)
             : octets.length >= length &&
                   memcmp(octets.data, IMAGE_MAGIC, length) == 0;
}

bool
recover_image(struct profile *profile, const char *path,
              struct code_names *code, const struct reader_options *options)
{
  struct image image;
  struct building building = {
      .image = &image,
      .code = code,
      .reading = {.profile = profile, .options = options}};
  if (!is_image(path, options->octets))
    return false;
  image_read(&image, path, options->octets);
  image.losses = options->losses;
  image.timeline = options->timeline;
  image_notes_read(&building.notes, &image);
  if (image.head.language == IMAGE_LISP)
    recover_lisp(&building);
  else
    recover_c(&building, &image);
  for (size_t i = 0; i < image.array_count; i++)
    pool_free(image.arrays[i].bytes); /* of trees and notes, too */
  return true;
}
