/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.c -- chains are nearly all of the work: the location of each
 * context in them is looked for once.
 */
#include "write/sample_writer.h"

#include <errno.h>

void
sample_writer_begin(struct sample_writer *w, const struct context_tree *tree)
{
  w->tree = tree;
  pprof_reserve(w->stream, &w->known, tree->context_count * sizeof(uint32_t));
}

void
sample_writer_end(struct sample_writer *w)
{
  arena_release(&w->known);
}

/* The location of a call at `site', which is in `function'. */
static uint32_t
location_of(struct sample_writer *w, uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uint32_t location =
      intern_key(&w->locations, w->tree->by_function && number != 0
                                    ? LOCATION_OF_FUNCTION | number
                                    : site);
  if (location == 0)
    gzip_file_fail(w->stream->output, ENOMEM);
  return location;
}

static void
add_chain(struct sample_writer *w, uint64_t site, uint32_t function,
          uint32_t up)
{
  uint32_t *known = w->known.base;
  const struct context *contexts = w->tree->contexts;
  const size_t start = w->stream->length;
  if (site != 0)
    pprof_add(w->stream, location_of(w, site, function));
  for (; up != CONTEXT_ROOT; up = contexts[up].parent) {
    if (known[up] == 0)
      known[up] = location_of(w, contexts[up].site, contexts[up].function);
    pprof_add(w->stream, known[up]);
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
