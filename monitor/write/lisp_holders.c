/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_holders.c -- a holder is a location and a function of one number,
 * which no others have.
 */
#include "write/lisp_holders.h"

#define HOLDER_ID(number) (UINT64_C(1) << 32 | (number))

static void
put_sample(struct pprof_stream *p, const struct holders *h, uint32_t path,
           const struct live_count *count)
{
  const struct holder *const holder =
      (const struct holder *)h->holders.base + holders_path_last(h, path);
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_HELD_COUNT] = count->objects,
                                          [PPROF_HELD_BYTES] = count->bytes};
  size_t start;
  pprof_begin(p);
  start = p->length;
  for (uint32_t i = path; i != 0; i = holders_path_above(h, i))
    pprof_add(p, HOLDER_ID(holders_path_last(h, i)));
  pprof_nest(p, PPROF_SAMPLE_LOCATIONS, start);
  pprof_add_values(p, values);
  if (holder->type != NULL)
    pprof_add_label(p, PPROF_LABEL_TYPE, holder->type);
  if (holder->class != NULL)
    pprof_add_label(p, PPROF_LABEL_CLASS, holder->class);
  if (holder->category != NULL)
    pprof_add_label(p, PPROF_LABEL_CATEGORY, holder->category);
  pprof_end(p, PPROF_SAMPLE);
}

static void
put_holder(struct pprof_stream *p, uint64_t id, const char *name)
{
  size_t start;
  pprof_begin(p);
  pprof_add_field(p, PPROF_FUNCTION_ID, id);
  pprof_add_field(p, PPROF_FUNCTION_NAME, pprof_string(p, name));
  pprof_end(p, PPROF_FUNCTION);
  pprof_begin(p);
  pprof_add_field(p, PPROF_LOCATION_ID, id);
  start = p->length;
  pprof_add_field(p, PPROF_LINE_FUNCTION, id);
  pprof_nest(p, PPROF_LOCATION_LINE, start);
  pprof_end(p, PPROF_LOCATION);
}

void
lisp_holders_put(struct pprof_stream *p, const struct holders *h)
{
  const struct live_count *const counts = h->counts.base;
  for (uint32_t i = 1; i <= h->paths.count && !pprof_failed(p); i++)
    if (counts[i].objects != 0 || counts[i].bytes != 0)
      put_sample(p, h, i, &counts[i]);
  for (uint32_t i = 1; i <= h->names.count; i++)
    put_holder(p, HOLDER_ID(i), intern_table_text(&h->names, i));
}
