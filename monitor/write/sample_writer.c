/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- chains are nearly all of the work: the location of each
 * context in them is looked for once.
 */
#include "write/sample_writer.h"

#include <errno.h>

void
sample_writer_begin(struct sample_writer *w, const struct context_tree *tree,
                    uint32_t context_count)
{
  w->tree = tree;
  pprof_reserve(w->stream, &w->known,
                context_count * sizeof(struct context_locations));
}

void
sample_writer_end(struct sample_writer *w)
{
  arena_release(&w->known);
}

void
sample_writer_release(struct sample_writer *w)
{
  intern_table_release(&w->locations);
  arena_release(&w->parts);
  arena_release(&w->functions);
  arena_release(&w->chain);
}

/* Note what the location `number' is, of which `at' tells. */
static void
note_part(struct sample_writer *w, uint32_t number, uint64_t at)
{
  if (number >= w->parts.reserved_bytes &&
      arena_grow(&w->parts, 2 * (size_t)number + 1) != 0)
    gzip_file_fail(w->stream->output, errno);
  else
    ((uint8_t *)w->parts.base)[number] = (uint8_t)w->part_of(w->closure, at);
}

static void
note_function(struct sample_writer *w, uint32_t number, uint32_t function)
{
  const size_t end = ((size_t)number + 1) * sizeof function;
  if (end > w->functions.reserved_bytes &&
      arena_grow(&w->functions, 2 * end) != 0)
    gzip_file_fail(w->stream->output, errno);
  else
    ((uint32_t *)w->functions.base)[number] = function;
}

/* The location of a call at `site', which is in `function'. */
static uint32_t
location_of(struct sample_writer *w, uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uint64_t at =
      w->tree->by_function && number != 0 && (site & SITE_PLACE) == 0
          ? site_place(number, 0, 0)
          : site;
  const uint32_t known = w->locations.count;
  const uint32_t location = intern_key(&w->locations, at);
  if (location == 0)
    gzip_file_fail(w->stream->output, ENOMEM);
  else if (location > known) {
    note_function(w, location, number);
    if (w->part_of != NULL)
      note_part(w, location, at);
  }
  return location;
}

/* Append `location' to the chain in hand, of *length. */
static void
push(struct sample_writer *w, size_t *length, uint32_t location)
{
  const size_t needed = (*length + 1) * sizeof location;
  if (needed > w->chain.reserved_bytes &&
      arena_grow(&w->chain, 2 * needed) != 0) {
    gzip_file_fail(w->stream->output, errno);
    return;
  }
  ((uint32_t *)w->chain.base)[(*length)++] = location;
}

/* The location of what ran between a call in the context `up' and its callee;
 * 0: nothing. */
static uint32_t
location_between(struct sample_writer *w, uint32_t up, uint32_t callee)
{
  const struct context *const c = &w->tree->contexts[up];
  const uint64_t site =
      w->between == NULL || up == CONTEXT_ROOT || callee == 0
          ? 0
          : w->between(c->site, c->function, callee);
  return site == 0 ? 0 : location_of(w, site, 0);
}

static void
push_allocation(struct sample_writer *w, size_t *length, uint64_t site,
                uint32_t function, const struct kind *kind)
{
  const uint64_t allocator =
      w->allocator == NULL ? 0 : w->allocator(w->closure, kind);
  const uint64_t between =
      w->between == NULL ? 0 : w->between(site, function, 0);
  if (allocator != 0)
    push(w, length, location_of(w, allocator, 0));
  if (between != 0)
    push(w, length, location_of(w, between, 0));
}

/* What is known of a context. */
static struct context_locations
locations_of(struct sample_writer *w, uint32_t context)
{
  struct context_locations *const known =
      (struct context_locations *)w->known.base + context;
  const struct context *const c = &w->tree->contexts[context];
  if (known->site == 0) {
    known->site = location_of(w, c->site, c->function);
    known->above = location_between(w, c->parent, c->function);
  }
  return *known;
}

/* Collect the chain, the leaf first, which is an allocation of that kind, or
 * a call (NULL); its length.  *first becomes the site that it begins with, if
 * that is a context. */
static size_t
collect_chain(struct sample_writer *w, uint64_t site, uint32_t function,
              uint32_t up, const struct kind *kind, uint64_t *first)
{
  const struct context *contexts = w->tree->contexts;
  uint32_t above = location_between(w, up, function);
  size_t length = 0;
  if (site != 0 && kind != NULL)
    push_allocation(w, &length, site, function, kind);
  if (site != 0)
    push(w, &length, location_of(w, site, function));
  for (; up != CONTEXT_ROOT; up = contexts[up].parent) {
    const struct context_locations known = locations_of(w, up);
    if (above != 0)
      push(w, &length, above);
    push(w, &length, known.site);
    above = known.above;
    *first = contexts[up].site;
  }
  return length;
}

/* Whether location `i' of the chain in hand shows, of which nothing does from
 * `end' on. */
static bool
shows(const struct sample_writer *w, size_t i, size_t end)
{
  const uint32_t *chain = w->chain.base;
  const uint8_t *parts = w->parts.base;
  return i < end && parts[chain[i]] == LOCATION_SHOWS;
}

/* Add those of `length' that do not, as PPROF_SAMPLE_HIDDEN says. */
static void
add_hidden(struct sample_writer *w, size_t length, size_t end)
{
  const uint32_t *chain = w->chain.base;
  const size_t start = w->stream->length;
  for (size_t i = 0; i < length;) {
    size_t from = i;
    while (from < length && shows(w, from, end))
      from++;
    size_t to = from;
    while (to < length && !shows(w, to, end))
      to++;
    if (from < to) {
      pprof_add(w->stream, from - i);
      pprof_add(w->stream, to - from);
    }
    for (i = from; i < to; i++)
      pprof_add(w->stream, chain[i]);
  }
  pprof_nest(w->stream, PPROF_SAMPLE_HIDDEN, start);
}

/* A chain of which nothing shows is written as if all did.  Gives back the
 * site that it begins with, or 0. */
static uint64_t
add_chain(struct sample_writer *w, uint64_t site, uint32_t function,
          uint32_t up, const struct kind *kind)
{
  uint64_t first = 0;
  const size_t length = collect_chain(w, site, function, up, kind, &first);
  const uint32_t *chain = w->chain.base;
  const uint8_t *parts = w->parts.base;
  size_t end = length, showing = 0, so_far = 0;
  if (pprof_failed(w->stream))
    return 0;
  for (size_t i = 0; i < length && w->part_of != NULL; i++) {
    const uint8_t part = parts[chain[i]];
    so_far += part == LOCATION_SHOWS;
    if (part == LOCATION_ROOT) { /* the last one is the rootmost */
      end = i;
      showing = so_far;
    }
  }
  if (end == length)
    showing = so_far;
  const bool whole = showing == 0 || showing == length;
  const size_t start = w->stream->length;
  for (size_t i = 0; i < length; i++)
    if (whole || shows(w, i, end))
      pprof_add(w->stream, chain[i]);
  pprof_nest(w->stream, PPROF_SAMPLE_LOCATIONS, start);
  if (!whole && !w->shown)
    add_hidden(w, length, end);
  return first;
}

void
sample_writer_put(struct sample_writer *w, uint64_t site, uint32_t function,
                  uint32_t up, const uint64_t *values,
                  const struct kind *kind)
{
  if (pprof_failed(w->stream))
    return;
  if (up == CONTEXT_OVERFLOW) {
    w->unattributed_count += values[PPROF_COUNT];
    w->unattributed_bytes += values[PPROF_BYTES];
  }
  pprof_begin(w->stream);
  if (add_chain(w, site, function, up, kind) ==
      (SITE_SPECIAL | SITE_CUT_SHORT))
    w->cut_count += values[PPROF_COUNT];
  pprof_add_values(w->stream, values);
  w->put_labels(w->closure, kind);
  pprof_end(w->stream, PPROF_SAMPLE);
}
