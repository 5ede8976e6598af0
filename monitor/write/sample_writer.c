/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- chains are nearly all of the work: what they are made of
 * stands together.
 */
#include "write/sample_writer.h"

#include <errno.h>

struct sample_link {
  uint32_t parent;
  uint32_t location; /* 0: it has none yet */
};

void
sample_writer_begin(struct sample_writer *w, const struct context_tree *tree)
{
  struct sample_link *links;
  w->tree = tree;
  if (!pprof_reserve(w->stream, &w->links,
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
  add_chain(w, site, function, up);
  add_values(w, values);
  w->put_labels(w->closure, kind);
  pprof_end(w->stream, PPROF_SAMPLE);
}
