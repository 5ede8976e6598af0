/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- chains are nearly all of the work: what they are made of
 * stands together.
 */
#include "write/sample_writer.h"

#include <errno.h>
#include <string.h>

struct sample_link {
  uint32_t parent;
  uint32_t location; /* 0: it has none yet */
};

/* Where the labels of a kind are; length 0: not put together yet. */
struct label_place {
  size_t start, length;
};

void
sample_writer_begin(struct sample_writer *w, const struct context_tree *tree)
{
  const size_t kinds = tree->kind_count + (size_t)1;
  struct sample_link *links;
  w->tree = tree;
  if (!pprof_reserve(w->stream, &w->places,
                     kinds * sizeof(struct label_place)) ||
      !pprof_reserve(w->stream, &w->links,
                     tree->context_count * sizeof *links))
    return;
  links = w->links.base;
  for (uint32_t i = 0; i < tree->context_count; i++)
    links[i].parent = tree->contexts[i].parent;
}

void
sample_writer_end(struct sample_writer *w)
{
  arena_release(&w->links);
  arena_release(&w->places);
  arena_release(&w->labels);
  w->label_bytes = 0;
}

static uint32_t
location_of(struct sample_writer *w, uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uint32_t location =
      intern_key(&w->locations, number != 0 && number == w->passing
                                    ? site | SITE_PASSING
                                    : site);
  if (location == 0)
    gzip_file_fail(w->stream->output, ENOMEM);
  return location;
}

static void
add_chain(struct sample_writer *w, uint64_t site, uint32_t function,
          uint32_t up)
{
  struct sample_link *links = w->links.base;
  const struct context *contexts = w->tree->contexts;
  const size_t start = w->stream->length;
  if (site != 0)
    pprof_add(w->stream, location_of(w, site, function));
  for (; up != CONTEXT_ROOT; up = links[up].parent) {
    if (links[up].location == 0)
      links[up].location =
          location_of(w, contexts[up].site, contexts[up].function);
    pprof_add(w->stream, links[up].location);
  }
  pprof_nest(w->stream, PPROF_SAMPLE_LOCATIONS, start);
}

static void
add_values(struct sample_writer *w, const uint64_t *values)
{
  const size_t start = w->stream->length;
  for (int i = 0; i < w->stream->columns; i++)
    pprof_add(w->stream, values[i]);
  pprof_nest(w->stream, PPROF_SAMPLE_VALUES, start);
}

/* Put the labels of a kind together, in the message in hand, and keep
 * them. */
static void
make_labels(struct sample_writer *w, struct label_place *place,
            const struct kind *kind)
{
  struct pprof_stream *p = w->stream;
  pprof_begin(p);
  w->put_labels(w->closure, kind);
  if (p->length == 0)
    return;
  if (arena_grow(&w->labels, w->label_bytes + p->length) != 0) {
    gzip_file_fail(p->output, errno);
    return;
  }
  *place = (struct label_place){ w->label_bytes, p->length };
  memcpy((uint8_t *)w->labels.base + place->start, p->message.base,
         place->length);
  w->label_bytes += place->length;
}

void
sample_writer_put(struct sample_writer *w, uint64_t site, uint32_t function,
                  uint32_t up, const uint64_t *values, uint32_t kind)
{
  struct label_place *place = w->places.base;
  const bool of_calls = kind == SAMPLE_OF_CALLS;
  if (pprof_failed(w->stream))
    return;
  if (up == CONTEXT_OVERFLOW) {
    w->unattributed_count += values[PPROF_COUNT];
    w->unattributed_bytes += values[PPROF_BYTES];
  }
  place += of_calls ? w->tree->kind_count : kind;
  if (place->length == 0)
    make_labels(w, place, of_calls ? NULL : &w->tree->kinds[kind]);
  pprof_begin(w->stream);
  add_chain(w, site, function, up);
  add_values(w, values);
  pprof_add_bytes(w->stream, (uint8_t *)w->labels.base + place->start,
                  place->length);
  pprof_end(w->stream, PPROF_SAMPLE);
}
