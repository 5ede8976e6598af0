/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What holds the live objects, as samples: a chain of holders, the innermost
 * first, where others have one of calls.  A holder is a location and a
 * function of one number, which no others have.
 */

#include "recover/lisp_recovery.h"

#include <string.h>

#define HOLDER_ID(number) (UINT64_C(1) << 32 | (number))

struct holdings {
  const struct image_holding *items; /* from 1 on */
  size_t count;
};

/* The labels of objects of the holder that NOTE tells. */
static void
add_labels(struct lisp_recovery *r, const struct note *note)
{
  const unsigned category = (unsigned)(note->value >> NOTE_CATEGORY_SHIFT);
  const struct kind kind = {.clas = note->more,
                            .what = (uint32_t)note->value};
  const char *class = lisp_class_name(r, &kind);
  if (category == 0)
    return;
  pprof_add_label(&r->stream, PPROF_LABEL_TYPE, lisp_type_name(r, &kind));
  if (class != NULL)
    pprof_add_label(&r->stream, PPROF_LABEL_CLASS, class);
  pprof_add_label(&r->stream, PPROF_LABEL_CATEGORY,
                  lisp_category_name(category - 1));
}

/* A path is behind that above it, so that it ends. */
static void
put_sample(struct lisp_recovery *r, const struct holdings *h, uint32_t path)
{
  struct pprof_stream *p = &r->stream;
  const struct image_holding *const own = &h->items[path];
  const struct note *note =
      image_note_find(r->notes, NOTE_HOLDER, own->holder);
  const uint64_t values[PPROF_COLUMNS] = {[PPROF_HELD_COUNT] = own->objects,
                                          [PPROF_HELD_BYTES] = own->bytes};
  if (note == NULL)
    return;
  pprof_begin(p);
  const size_t start = p->length;
  for (uint32_t i = path; i != 0;
       i = h->items[i].above < i ? h->items[i].above : 0)
    pprof_add(p, HOLDER_ID(h->items[i].holder));
  pprof_nest(p, PPROF_SAMPLE_LOCATIONS, start);
  pprof_add_values(p, values);
  add_labels(r, note);
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
lisp_put_holdings(struct lisp_recovery *r)
{
  const struct image_array *array = image_array(r->image, IMAGE_HOLDINGS, 0);
  struct holdings h = {0};
  const struct note *note;
  if (array != NULL)
    h = (struct holdings){(const struct image_holding *)array->bytes,
                          array->length / sizeof *h.items};
  for (size_t i = 1; i < h.count && !pprof_failed(&r->stream); i++)
    if (h.items[i].objects != 0 || h.items[i].bytes != 0)
      put_sample(r, &h, (uint32_t)i);
  for (uint32_t i = 1;
       (note = image_note_find(r->notes, NOTE_HOLDER, i)) != NULL; i++)
    put_holder(&r->stream, HOLDER_ID(i), note->text);
}
