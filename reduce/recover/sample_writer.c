/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- chains are nearly all of the work: the location of each
 * context in them is looked for once, and encoded again only when the chain
 * before did not have the context.
 */
#include "recover/sample_writer.h"

#include <errno.h>
#include <string.h>

enum { KINDS = 256 }; /* whose labels are kept */

void
sample_writer_begin(struct sample_writer *w, const struct context_tree *tree,
                    uint32_t context_count)
{
  w->tree = tree;
  w->place_count = 1;
  if (pprof_reserve(w->stream, &w->known,
                    context_count * sizeof(struct context_locations)))
    pprof_reserve(w->stream, &w->parts_of_chain,
                  (context_count + (size_t)1) * sizeof(struct chain_part));
  pprof_reserve(w->stream, &w->labels, KINDS * sizeof(struct kind_labels));
}

void
sample_writer_end(struct sample_writer *w)
{
  arena_release(&w->known);
  arena_release(&w->parts_of_chain);
  arena_release(&w->labels);
}

void
sample_writer_release(struct sample_writer *w)
{
  intern_table_release(&w->locations);
  arena_release(&w->parts);
  arena_release(&w->functions);
  arena_release(&w->chain);
  arena_release(&w->shown_bytes);
  arena_release(&w->hidden_bytes);
}

/* Note what the location `number' is, of which `at' tells. */
static void
note_part(struct sample_writer *w, uint32_t number, uint64_t at)
{
  if (number >= w->parts.reserved_bytes &&
      arena_grow(&w->parts, 2 * (size_t)number + 1) != 0)
    octets_fail(w->stream->output, errno);
  else
    ((uint8_t *)w->parts.base)[number] = (uint8_t)w->part_of(w->closure, at);
}

static void
note_function(struct sample_writer *w, uint32_t number, uint32_t function)
{
  const size_t end = ((size_t)number + 1) * sizeof function;
  if (end > w->functions.reserved_bytes &&
      arena_grow(&w->functions, 2 * end) != 0)
    octets_fail(w->stream->output, errno);
  else
    ((uint32_t *)w->functions.base)[number] = function;
}

/* The location of a call at `site', which is in `function'. */
static uint32_t
location_of(struct sample_writer *w, uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uint32_t known = w->locations.count;
  const uint32_t location = intern_key(&w->locations, site);
  if (location == 0)
    octets_fail(w->stream->output, ENOMEM);
  else if (location > known) {
    note_function(w, location, number);
    if (w->part_of != NULL)
      note_part(w, location, site);
  }
  return location;
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
          : w->between(w->closure, c->site, c->function, callee);
  return site == 0 ? 0 : location_of(w, site, 0);
}

/* What is known of a context. */
static struct context_locations *
locations_of(struct sample_writer *w, uint32_t context)
{
  struct context_locations *const known =
      (struct context_locations *)w->known.base + context;
  const struct context *const c = &w->tree->contexts[context];
  if (known->site == 0) {
    known->site = location_of(w, c->site, c->function);
    known->above = location_between(w, c->parent, c->function);
  }
  return known;
}

/* ---- the chain in hand ---- */

/* Element `i' of an array that grows; NULL when there is no memory. */
static void *
element(struct sample_writer *w, struct arena *array, size_t i, size_t size)
{
  const size_t end = (i + 1) * size;
  if (end > array->reserved_bytes && arena_grow(array, 2 * end) != 0) {
    octets_fail(w->stream->output, errno);
    return NULL;
  }
  return (char *)array->base + i * size;
}

static uint8_t *
encoded_in(const struct arena *bytes, const struct encoded *numbers)
{
  return (uint8_t *)bytes->base + bytes->reserved_bytes - numbers->to;
}

static void
prepend(struct sample_writer *w, struct arena *bytes, struct encoded *numbers,
        uint64_t n)
{
  uint8_t number[PPROF_NUMBER_BYTES];
  const uint32_t length = (uint32_t)pprof_encode(number, n);
  const size_t before = bytes->reserved_bytes;
  if (numbers->to + length > before) {
    if (element(w, bytes, numbers->to + length, 1) == NULL)
      return;
    memmove((char *)bytes->base + bytes->reserved_bytes - before, bytes->base,
            before);
  }
  numbers->to += length;
  memcpy(encoded_in(bytes, numbers), number, length);
}

static void
add_encoded(struct sample_writer *w, const struct arena *bytes,
            const struct encoded *numbers)
{
  pprof_add_bytes(w->stream, encoded_in(bytes, numbers),
                  numbers->to - numbers->from);
}

static void
hide(struct sample_writer *w, struct chain_part *part, uint32_t location)
{
  struct arena *const bytes = &w->hidden_bytes;
  if (part->run_hidden != 0 && part->run_shows != 0) {
    prepend(w, bytes, &part->hidden, part->run_hidden);
    prepend(w, bytes, &part->hidden, part->run_shows);
    part->run_hidden = 0;
  }
  part->run_shows = 0;
  part->run_hidden++;
  prepend(w, bytes, &part->hidden, location);
}

/* Nothing of `part' shows.  Outer parts keep their bytes. */
static void
hide_all(struct sample_writer *w, struct chain_part *part)
{
  const uint32_t *chain = w->chain.base;
  part->shown.from = part->shown.to;
  part->hidden.from = part->hidden.to;
  part->showing = part->run_shows = part->run_hidden = 0;
  for (uint32_t i = 0; i < part->length; i++)
    hide(w, part, chain[i]);
}

/* Append `location' to `part'. */
static void
push(struct sample_writer *w, struct chain_part *part, uint32_t location)
{
  uint32_t *const last = element(w, &w->chain, part->length, sizeof *last);
  const enum location_part is =
      w->part_of == NULL ? LOCATION_SHOWS
                         : ((const uint8_t *)w->parts.base)[location];
  if (last == NULL)
    return;
  *last = location;
  if (is == LOCATION_ROOT && !part->rooted) {
    part->rooted = true;
    hide_all(w, part);
  }
  part->length++;
  if (is == LOCATION_SHOWS) {
    part->showing++;
    part->run_shows++;
    prepend(w, &w->shown_bytes, &part->shown, location);
  } else
    hide(w, part, location);
}

/* The part of the chain in hand down to `context', of which what the one
 * before has as well is kept. */
static const struct chain_part *
find_part(struct sample_writer *w, uint32_t context)
{
  const struct context *contexts = w->tree->contexts;
  const struct context_locations *const known = w->known.base;
  struct chain_part *const parts = w->parts_of_chain.base;
  uint32_t up = context, more = 0;
  while (up != CONTEXT_ROOT && (known[up].place >= w->place_count ||
                                parts[known[up].place].context != up)) {
    locations_of(w, up);
    more++;
    up = contexts[up].parent;
  }
  const uint32_t from = up == CONTEXT_ROOT ? 0 : known[up].place;
  w->place_count = from + more + 1;
  for (up = context; more > 0; more--, up = contexts[up].parent)
    parts[from + more].context = up;
  for (uint32_t i = from + 1; i < w->place_count && !pprof_failed(w->stream);
       i++) {
    const uint32_t number = parts[i].context;
    struct context_locations *const own = locations_of(w, number);
    parts[i] = parts[i - 1];
    parts[i].context = number;
    own->place = i;
    if (own->above != 0)
      push(w, &parts[i], own->above);
    push(w, &parts[i], own->site);
  }
  return &parts[w->place_count - 1];
}

/* ---- samples ---- */

/* A chain of which nothing shows is written as if all did. */
static void
add_chain(struct sample_writer *w, const struct chain_part *part)
{
  const uint32_t *chain = w->chain.base;
  size_t start = w->stream->length;
  if (part->showing == 0)
    for (uint32_t i = part->length; i-- > 0;)
      pprof_add(w->stream, chain[i]);
  else
    add_encoded(w, &w->shown_bytes, &part->shown);
  pprof_nest(w->stream, PPROF_SAMPLE_LOCATIONS, start);
  if (w->shown || part->showing == 0 || part->showing == part->length)
    return;
  start = w->stream->length;
  pprof_add(w->stream, part->run_shows);
  pprof_add(w->stream, part->run_hidden);
  add_encoded(w, &w->hidden_bytes, &part->hidden);
  pprof_nest(w->stream, PPROF_SAMPLE_HIDDEN, start);
}

/* Add the chain to the message in hand.  Gives back the site that it begins
 * with, if that is a context, or 0. */
static uint64_t
put_chain(struct sample_writer *w, uint64_t site, uint32_t function,
          uint32_t up, const struct kind *kind)
{
  const bool object = site != 0 && kind != NULL;
  const uint32_t above = location_between(w, up, function);
  const uint64_t allocator =
      object && w->allocator != NULL ? w->allocator(w->closure, kind) : 0;
  const uint64_t between =
      object && w->between != NULL
          ? w->between(w->closure, site, function, 0)
          : 0;
  uint32_t inner[4], count = 0; /* outward, as they are numbered */
  if (allocator != 0)
    inner[count++] = location_of(w, allocator, 0);
  if (between != 0)
    inner[count++] = location_of(w, between, 0);
  if (site != 0)
    inner[count++] = location_of(w, site, function);
  if (above != 0)
    inner[count++] = above;
  const struct chain_part *const outer = w->parts_of_chain.base;
  struct chain_part part = *find_part(w, up);
  if (pprof_failed(w->stream))
    return 0;
  while (count-- > 0)
    push(w, &part, inner[count]);
  add_chain(w, &part);
  return w->place_count < 2 ? 0 : w->tree->contexts[outer[1].context].site;
}

/* Add the labels, which are the same for all of a kind. */
static void
add_labels(struct sample_writer *w, const struct kind *kind)
{
  struct kind_labels *const known = (struct kind_labels *)w->labels.base +
                                    (uintptr_t)kind / sizeof *kind % KINDS;
  const size_t start = w->stream->length;
  if (known->length != 0 && known->kind == kind) {
    pprof_add_bytes(w->stream, known->bytes, known->length);
    return;
  }
  w->put_labels(w->closure, kind);
  const size_t length = w->stream->length - start;
  if (length > sizeof known->bytes || pprof_failed(w->stream))
    return;
  known->kind = kind;
  known->length = (uint8_t)length;
  memcpy(known->bytes, (char *)w->stream->message.base + start, length);
}

void
sample_writer_put(struct sample_writer *w, uint64_t site, uint32_t function,
                  uint32_t up, const uint64_t *values,
                  const struct kind *kind)
{
  if (pprof_failed(w->stream))
    return;
  if (context_tree_is_over(w->tree, up)) {
    site = 0; /* which has its place already */
    w->unattributed_count += values[PPROF_COUNT];
    w->unattributed_bytes += values[PPROF_BYTES];
  }
  pprof_begin(w->stream);
  if (put_chain(w, site, function, up, kind) ==
      (SITE_SPECIAL | SITE_CUT_SHORT))
    w->cut_count += values[PPROF_COUNT];
  pprof_add_values(w->stream, values);
  add_labels(w, kind);
  pprof_end(w->stream, PPROF_SAMPLE);
}
