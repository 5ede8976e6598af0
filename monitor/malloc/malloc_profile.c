/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_profile.c -- a profile is a sequence of fields; each goes to the
 * file when it is complete.  A string gets its number when it is written,
 * before the message that refers to it.
 */
#include "malloc/malloc_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "code/code_objects.h"
#include "malloc/decimal.h"
#include "malloc/malloc_monitor.h"
#include "malloc/malloc_regions.h"
#include "write/message_stream.h"
#include "malloc/thread_stack.h"
#include "tree/sizes.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

/* Fields of profile.proto. */
enum {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE = 2,
  PROFILE_MAPPING = 3,
  PROFILE_LOCATION = 4,
  PROFILE_FUNCTION = 5,
  PROFILE_STRING = 6,
  PROFILE_TIME = 9,
  PROFILE_PERIOD_TYPE = 11,
  PROFILE_PERIOD = 12,
  PROFILE_COMMENT = 13,
  PROFILE_DEFAULT_TYPE = 14
};

enum column {
  COLUMN_COUNT,
  COLUMN_BYTES,
  COLUMN_KEPT_COUNT,
  COLUMN_KEPT_BYTES,
  COLUMN_CALLS,
  COLUMN_PEAK_COUNT,
  COLUMN_PEAK_BYTES,
  COLUMN_TEMPORARY,
  COLUMNS
};

static const struct {
  const char *type, *unit;
} columns[COLUMNS] = {
    [COLUMN_COUNT] = {"alloc_objects", "count"},
    [COLUMN_BYTES] = {"alloc_space", "bytes"},
    [COLUMN_KEPT_COUNT] = {"inuse_objects", "count"},
    [COLUMN_KEPT_BYTES] = {"inuse_space", "bytes"},
    [COLUMN_CALLS] = {"activations", "count"},
    [COLUMN_PEAK_COUNT] = {"peak_objects", "count"},
    [COLUMN_PEAK_BYTES] = {"peak_space", "bytes"},
    [COLUMN_TEMPORARY] = {"temporary_objects", "count"},
};

/* What is known of a context, and what chains are made of: beside each other,
 * for chains are nearly all of the work. */
struct reach {
  uint64_t allocations; /* below it */
  uint32_t parent;
  uint32_t location; /* 0: it has none yet */
};

/* A context whose call is the first of its kind on its chain, beside the
 * length of that. */
#define COUNTS_CALLS (1u << 31)

enum { MANY_LEAVES = 16384 }; /* for a profile to be large: 1 MB or so */

struct writer {
  struct message_stream stream;
  uint32_t *locations; /* open addressing: site of number n ... */
  uint64_t *sites;     /* ... is sites[n - 1] */
  size_t mask, location_count;
  struct reach *reaches; /* by context */
  uint32_t *lengths;     /* the same, and COUNTS_CALLS */
  uint64_t *regions;     /* by region: the string that is its path */
  uint32_t region_count;
  struct malloc_total total;
  const struct code_objects *objects;
  struct arena arena;
};

/* ---- comments ---- */

static void
put_comment(struct writer *w, const char *key, const char *value)
{
  struct message_stream *s = &w->stream;
  message_begin(s);
  message_add_text(s, key);
  message_add_text(s, value);
  message_put_bytes(s, PROFILE_STRING, s->message, s->length);
  message_put_number(s, PROFILE_COMMENT, s->strings++);
}

static void
put_number_comment(struct writer *w, const char *key, uint64_t number)
{
  char text[DECIMAL_BYTES + 1];
  *decimal_put(text, number, 1) = '\0';
  put_comment(w, key, text);
}

/* What region_table_comments calls. */
static void
put_comment_text(void *closure, const char *text)
{
  put_comment(closure, text, "");
}

/* ---- samples ---- */

/* Numbers of the strings that labels are made of. */
struct label_strings {
  uint64_t bytes, thread, region;
  uint64_t threads[256];
  const uint64_t *regions;
};

static uint32_t *
find_location(const struct writer *w, uint64_t site)
{
  size_t i = (size_t)((site * 0x9E3779B97F4A7C15ULL) >> 20) & w->mask;
  while (w->locations[i] != 0 && w->sites[w->locations[i] - 1] != site)
    i = (i + 1) & w->mask;
  return &w->locations[i];
}

/* There are many contexts to a site, so the table is small as long as it
 * can be: it is asked for each. */
static void
grow_locations(struct writer *w)
{
  memset(w->locations, 0, (w->mask + 1) * sizeof *w->locations);
  w->mask = 2 * w->mask + 1;
  for (size_t i = 0; i < w->location_count; i++)
    *find_location(w, w->sites[i]) = (uint32_t)i + 1;
}

static uint32_t
location_of(struct writer *w, uint64_t site)
{
  uint32_t *location = find_location(w, site);
  if (*location != 0)
    return *location;
  w->sites[w->location_count++] = site;
  *location = (uint32_t)w->location_count;
  if (w->location_count * 2 > w->mask)
    grow_locations(w);
  return (uint32_t)w->location_count;
}

/* The chain of a call to `site' from the context `up'. */
static void
add_chain(struct writer *w, uint64_t site, uint32_t up)
{
  const struct context *contexts = malloc_monitor.tree.contexts;
  const size_t start = w->stream.length;
  message_add(&w->stream, location_of(w, site));
  for (; up != CONTEXT_ROOT; up = w->reaches[up].parent) {
    struct reach *reach = &w->reaches[up];
    if (reach->location == 0)
      reach->location = location_of(w, contexts[up].site);
    message_add(&w->stream, reach->location);
  }
  message_close_nested(&w->stream, 1, start);
}

static void
add_values(struct writer *w, const uint64_t *values)
{
  const size_t start = w->stream.length;
  for (int i = 0; i < COLUMNS; i++)
    message_add(&w->stream, values[i]);
  message_close_nested(&w->stream, 2, start);
}

/* A label: its key, and a string or a number with a unit. */
static void
add_label(struct writer *w, uint64_t key, uint64_t string, uint64_t number,
          uint64_t unit)
{
  const size_t start = w->stream.length;
  message_add_field(&w->stream, 1, key);
  message_add_field(&w->stream, 2, string);
  message_add_field(&w->stream, 3, number);
  message_add_field(&w->stream, 4, unit);
  message_close_nested(&w->stream, 3, start);
}

/* Whether `function', called below `up', is called by the same function
 * further out as well. */
static bool
arc_is_above(uint32_t up, uint32_t function)
{
  const struct context *contexts = malloc_monitor.tree.contexts;
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
put_leaf(struct writer *w, uint32_t number,
         const struct label_strings *labels)
{
  const struct malloc_monitor *m = &malloc_monitor;
  const struct leaf *leaf = &m->tree.leaves[number];
  const struct leaf_life life = stripes_life(number);
  const struct kind *kind = context_tree_kind(&m->tree, leaf);
  const uint32_t thread = (uint32_t)kind->clas;
  const uint32_t region = (uint32_t)(kind->clas >> 32);
  const uint64_t values[COLUMNS] = {
      [COLUMN_COUNT] = leaf->count,
      [COLUMN_BYTES] = leaf->bytes,
      [COLUMN_KEPT_COUNT] = life.count - life.freed_count,
      [COLUMN_KEPT_BYTES] = life.bytes - life.freed_bytes,
      [COLUMN_CALLS] =
          arc_is_above(leaf->up, leaf->function) ? 0 : leaf->count,
      [COLUMN_PEAK_COUNT] = life.peak_count,
      [COLUMN_PEAK_BYTES] = life.peak_bytes,
      [COLUMN_TEMPORARY] = life.temporary_count,
  };
  if (leaf->count == 0)
    return;
  message_begin(&w->stream);
  add_chain(w, leaf->site, leaf->up);
  add_values(w, values);
  if (kind->size != LEAF_LARGE)
    add_label(w, labels->bytes, 0, kind->size, labels->bytes);
  if (thread != 0)
    add_label(w, labels->thread, labels->threads[thread], 0, 0);
  if (region != 0)
    add_label(w, labels->region, labels->regions[region], 0, 0);
  message_end(&w->stream, PROFILE_SAMPLE);
}

/* Whether nothing further out is the same call.  The tree knows of most. */
static bool
is_first_call(const struct context *c)
{
  return c->new_arc || !arc_is_above(c->parent, c->function);
}

/* Parents have smaller numbers than their children. */
static void
measure_contexts(struct writer *w)
{
  const struct context_tree *tree = &malloc_monitor.tree;
  const struct context *contexts = tree->contexts;
  struct reach *reaches = w->reaches;
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    reaches[tree->leaves[i].up].allocations += tree->leaves[i].count;
  if (tree->overflowed != 0)
    reaches[CONTEXT_OVERFLOW].allocations += tree->leaves[tree->budget].count;
  for (uint32_t i = tree->context_count - 1; i > CONTEXT_ROOT; i--) {
    reaches[i].parent = contexts[i].parent;
    reaches[contexts[i].parent].allocations += reaches[i].allocations;
  }
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *c = &contexts[i];
    const uint32_t above = w->lengths[c->parent] & ~COUNTS_CALLS;
    w->lengths[i] = (above + 1) | (is_first_call(c) ? COUNTS_CALLS : 0);
  }
  w->lengths[CONTEXT_OVERFLOW] = 1;
}

static bool
counts_calls(const struct writer *w, uint32_t number)
{
  return (w->lengths[number] & COUNTS_CALLS) != 0;
}

static void
put_context(struct writer *w, uint32_t number, uint64_t calls)
{
  const struct context *c = &malloc_monitor.tree.contexts[number];
  const uint64_t values[COLUMNS] = {[COLUMN_CALLS] = calls};
  message_begin(&w->stream);
  add_chain(w, c->site, c->parent);
  add_values(w, values);
  message_end(&w->stream, PROFILE_SAMPLE);
}

/* The allocations below a context are the calls that led to one, once each
 * however often a function called the other on the way: a context of a call
 * that is on its chain already counts none.  Most contexts count theirs,
 * which a reader can add up; then only those are written that do not, and the
 * file says so.  Calls count one more there: other programs drop samples that
 * are all zero.  Where recursion is not folded it may be the other way
 * round, and their chains are long. */
static void
put_contexts(struct writer *w)
{
  const struct context_tree *tree = &malloc_monitor.tree;
  uint64_t calls = 0, no_calls = 0, stated = 0;
  bool all;
  for (uint32_t i = CONTEXT_OVERFLOW; i < tree->context_count; i++)
    if (w->reaches[i].allocations != 0)
      *(counts_calls(w, i) ? &calls : &no_calls) +=
          w->lengths[i] & ~COUNTS_CALLS;
  all = calls < no_calls;
  for (uint32_t i = CONTEXT_OVERFLOW; i < tree->context_count; i++)
    if (w->reaches[i].allocations != 0 && counts_calls(w, i) == all) {
      put_context(w, i, all ? w->reaches[i].allocations : 1);
      stated++;
    }
  if (!all)
    put_number_comment(w, "mprof.stated_calls=", stated);
}

static void
put_samples(struct writer *w)
{
  const struct context_tree *tree = &malloc_monitor.tree;
  struct label_strings labels = {
      .bytes = message_put_string(&w->stream, "bytes"),
      .thread = message_put_string(&w->stream, "thread"),
      .region = message_put_string(&w->stream, "region")};
  labels.regions = w->regions;
  for (uint32_t i = 1; i < 256 && *thread_stack_name(i) != '\0'; i++)
    labels.threads[i] = message_put_string(&w->stream, thread_stack_name(i));
  for (uint32_t i = 1; i < w->region_count; i++)
    w->regions[i] =
        message_put_string(&w->stream, malloc_regions.regions[i].path);
  measure_contexts(w);
  for (uint32_t i = 1; i < tree->leaf_count; i++)
    put_leaf(w, i, &labels);
  if (tree->overflowed != 0)
    put_leaf(w, tree->budget, &labels);
  put_contexts(w);
}

/* ---- the rest ---- */

static void
put_mapping(struct writer *w, uint64_t id, const struct code_object *o)
{
  char build_id[2 * BUILD_ID_BYTES + 1] = "";
  uint64_t name, build;
  for (size_t i = 0; i < 2 * o->build_id_size; i++)
    build_id[i] =
        "0123456789abcdef"[o->build_id[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
  name = message_put_string(&w->stream, o->path);
  build = message_put_string(&w->stream, build_id);
  message_begin(&w->stream);
  message_add_field(&w->stream, 1, id);
  message_add_field(&w->stream, 2, o->start);
  message_add_field(&w->stream, 3, o->end);
  message_add_field(&w->stream, 4, o->file_offset);
  message_add_field(&w->stream, 5, name);
  message_add_field(&w->stream, 6, build);
  message_end(&w->stream, PROFILE_MAPPING);
}

/* Mappings are numbered from one: those that are loaded, then the others. */
static void
put_mappings(struct writer *w)
{
  uint64_t id = 1;
  for (size_t i = 0; i < w->objects->count; i++)
    put_mapping(w, id++, &w->objects->objects[i]);
  for (size_t i = 0; i < code_objects_unloaded.count; i++)
    put_mapping(w, id++, &code_objects_unloaded.objects[i]);
}

/* The function that stands for callers which went over the budget. */
static void
put_function(struct writer *w)
{
  const uint64_t name = message_put_string(&w->stream, "[over the budget]");
  message_put_pair(&w->stream, PROFILE_FUNCTION, 1, name);
}

static void
put_locations(struct writer *w)
{
  for (size_t i = 0; i < w->location_count; i++) {
    const uint64_t site = w->sites[i];
    const struct code_object *o = NULL;
    uint64_t mapping = 0, address = 0;
    if ((site & SITE_RETIRED) != 0) {
      const size_t number = RETIRED_OBJECT(site);
      address =
          code_objects_unloaded.objects[number].start + RETIRED_OFFSET(site);
      mapping = w->objects->count + number + 1;
    } else if ((site & SITE_SPECIAL) == 0) {
      address = site;
      o = code_objects_find(w->objects, site - 1);
      mapping = o == NULL ? 0 : (uint64_t)(o - w->objects->objects) + 1;
    }
    message_begin(&w->stream);
    message_add_field(&w->stream, 1, i + 1);
    message_add_field(&w->stream, 2, mapping);
    /* the call, not what it returns to */
    message_add_field(&w->stream, 3, address == 0 ? 0 : address - 1);
    if (address == 0) { /* one line, which is of function 1 */
      const size_t line = w->stream.length;
      message_add_field(&w->stream, 1, 1);
      message_close_nested(&w->stream, 4, line);
    }
    message_end(&w->stream, PROFILE_LOCATION);
  }
}

static void
put_header(struct writer *w)
{
  struct timespec now;
  uint64_t space, bytes;
  message_put_string(&w->stream, ""); /* must be the first */
  for (int i = 0; i < COLUMNS; i++) {
    space = message_put_string(&w->stream, columns[i].type);
    bytes = message_put_string(&w->stream, columns[i].unit);
    message_put_pair(&w->stream, PROFILE_SAMPLE_TYPE, space, bytes);
  }
  space = message_put_string(&w->stream, "space");
  bytes = message_put_string(&w->stream, "bytes");
  message_put_pair(&w->stream, PROFILE_PERIOD_TYPE, space, bytes);
  message_put_number(&w->stream, PROFILE_PERIOD, 1);
  message_put_number(&w->stream, PROFILE_DEFAULT_TYPE,
                     message_put_string(&w->stream, "alloc_space"));
  /* the C library's takes three pages more of each child of a fork */
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  message_put_number(&w->stream, PROFILE_TIME,
                     (uint64_t)now.tv_sec * 1000000000u +
                         (uint64_t)now.tv_nsec);
}

static void
put_comments(struct writer *w)
{
  const struct malloc_monitor *m = &malloc_monitor;
  uint64_t lost = 0, lost_bytes = 0;
  if (m->tree.overflowed != 0) {
    lost = m->tree.leaves[m->tree.budget].count;
    lost_bytes = m->tree.leaves[m->tree.budget].bytes;
  }
  for (uint32_t i = 1; i < m->tree.leaf_count; i++)
    if (m->tree.leaves[i].up == CONTEXT_OVERFLOW) {
      lost += m->tree.leaves[i].count;
      lost_bytes += m->tree.leaves[i].bytes;
    }
  put_comment(w, "mprof.version=", MPROF_VERSION);
  put_comment(w, "mprof.language=", "c");
  if (w->objects->count > 0)
    put_comment(w, "mprof.program=", w->objects->objects[0].path);
  put_number_comment(w, "mprof.allocations=", w->total.count);
  put_number_comment(w, "mprof.bytes=", w->total.bytes);
  put_number_comment(w, "mprof.peak_bytes=", w->total.peak_bytes);
  put_number_comment(w, "mprof.unattributed_allocations=", lost);
  put_number_comment(w, "mprof.unattributed_bytes=", lost_bytes);
  put_number_comment(w, "mprof.truncated_walks=", m->truncated_walks);
  put_number_comment(w, "mprof.contexts=", context_tree_paths(&m->tree));
  put_number_comment(w, "mprof.context_bytes=", context_tree_bytes(&m->tree));
  if (m->lost_objects > 0) {
    char text[96];
    snprintf(text, sizeof text,
             "objects for which there was no memory: %" PRIu64
             "; kept bytes are too many",
             m->lost_objects);
    put_comment(w, "mprof.kept_note=", text);
  }
  region_table_comments(&malloc_regions, true, put_comment_text, w);
}

static bool
open_writer(struct writer *w)
{
  const struct context_tree *tree = &malloc_monitor.tree;
  const size_t contexts = (size_t)tree->context_count + tree->leaf_count + 1;
  const size_t lengths = /* so that what follows is aligned */
      (tree->context_count + 1) / 2 * sizeof(uint64_t);
  size_t slots = SIZE_FIRST_INDEX;
  size_t bytes;
  uint8_t *at;
  while (slots < 4 * contexts) /* address space */
    slots *= 2;
  w->region_count = malloc_regions.count;
  bytes = STREAM_BUFFER + GZIP_MEMORY + STREAM_MESSAGE +
          w->region_count * sizeof *w->regions +
          slots * sizeof *w->locations + contexts * sizeof *w->sites +
          tree->context_count * sizeof *w->reaches + lengths;
  if (arena_reserve(&w->arena, bytes) != 0)
    return false;
  at = w->arena.base;
  w->sites = (uint64_t *)(void *)at;
  at += contexts * sizeof *w->sites;
  w->reaches = (struct reach *)(void *)at;
  at += tree->context_count * sizeof *w->reaches;
  w->regions = (uint64_t *)(void *)at;
  at += w->region_count * sizeof *w->regions;
  w->locations = (uint32_t *)(void *)at;
  at += slots * sizeof *w->locations;
  w->lengths = (uint32_t *)(void *)at;
  at += lengths;
  w->stream.buffer = at;
  w->stream.output.memory = at + STREAM_BUFFER;
  w->stream.output.fast = tree->leaf_count > MANY_LEAVES;
  w->stream.message = w->stream.output.memory + GZIP_MEMORY;
  w->mask = SIZE_FIRST_INDEX - 1;
  return true;
}

static void
write_all(struct writer *w)
{
  put_header(w);
  put_samples(w);
  put_mappings(w);
  put_locations(w);
  put_function(w);
  put_comments(w);
  message_stream_end(&w->stream);
}

/* Write to `path', which is opened with `flags'. */
static void
write_to(struct writer *w, const char *path, int flags)
{
  w->stream.output.file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  if (w->stream.output.file < 0) {
    w->stream.output.failed = errno;
    return;
  }
  write_all(w);
  if (close(w->stream.output.file) != 0 && w->stream.output.failed == 0)
    w->stream.output.failed = errno;
}

int
malloc_profile_write(const char *path, int flags,
                     const struct code_objects *objects)
{
  struct writer w = {.stream.string_field = PROFILE_STRING,
                     .objects = objects};
  if (!malloc_monitor.ready || !open_writer(&w))
    return ENOMEM;
  w.total = malloc_monitor_settle(&malloc_monitor);
  write_to(&w, path, flags);
  arena_release(&w.arena);
  return w.stream.output.failed;
}
