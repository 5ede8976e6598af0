/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chains of the page: see export_html.c for how they are written. */

#include "export/page.h"

/* Fills ROWS with those of all nodes. */
static void
collect(const struct page *page, struct sample_rows *rows, enum rows_of of)
{
  sample_rows_init(rows, page->chains.tree, of);
  rows->slices = page->slices.of_labels;
  rows->line_of_sample =
      page->lines == NULL ? NULL : page->lines->tree.of_sample;
  for (size_t i = 0; i < page->chains.count; i++)
    sample_rows_add(rows, page->chains.walk[i]);
}

void
page_collect(struct page *page)
{
  time_slices_find(&page->slices, page->view->profile);
  chains_init(&page->chains, &page->view->tree, true);
  collect(page, &page->rows, ROWS_OF_TYPES);
  collect(page, &page->calls, ROWS_OF_CALLS);
}

void
page_write_labels(struct page *page)
{
  const struct profile *profile = page->view->profile;
  struct writer *out = &page->out;
  writer_begin(out, "labels", '{');
  writer_begin(out, "phase", '[');
  for (size_t i = 0; i < PHASE_COUNT; i++)
    writer_text(out, NULL, phase_texts[i].word);
  writer_end(out, ']');
  writer_begin(out, "thread", '[');
  for (size_t i = 0; i < profile->thread_count; i++)
    writer_text(out, NULL, profile_thread_name(profile, i));
  writer_end(out, ']');
  writer_begin(out, "region", '[');
  for (size_t i = 0; i < profile->region_count; i++)
    writer_text(out, NULL, names_text(&profile->names, profile->regions[i]));
  writer_end(out, ']');
  writer_end(out, '}');
}

void
page_write_slices(struct page *page)
{
  const struct time_slices *slices = &page->slices;
  writer_begin(&page->out, "slices", '[');
  for (size_t i = 0; i < slices->starts.count; i++) {
    const struct timeline_state *state = &slices->states[i];
    writer_begin(&page->out, NULL, '{');
    writer_number(&page->out, "start", slices->starts.items[i]);
    writer_number(&page->out, "in_use", state->in_use);
    writer_number(&page->out, "resident", state->resident);
    writer_number(&page->out, "collections", state->collections);
    writer_end(&page->out, '}');
  }
  writer_end(&page->out, ']');
}

static void
write_bits(struct page *page, uint64_t number)
{
  char bytes[10];
  size_t length = 0;
  for (; number > 127; number >>= 7)
    bytes[length++] = (char)((number & 127) | 128);
  bytes[length++] = (char)number;
  sink_bytes(page->out.sink, bytes, length);
}

static void
write_nodes(struct page *page)
{
  const struct tree_node *nodes = page->chains.tree->tree.nodes;
  const uint32_t *walk = page->chains.walk;
  size_t count = page->chains.count;
  write_bits(page, count);
  write_bits(page, 0); /* of the root */
  for (size_t i = 1; i < count; i++) {
    uint64_t up = 0;
    for (uint32_t n = walk[i - 1]; n != nodes[walk[i]].parent;
         n = nodes[n].parent)
      up++;
    write_bits(page, up);
  }
  write_bits(page, 0);
  for (size_t i = 1; i < count; i++)
    write_bits(page, page->places.functions[nodes[walk[i]].item]);
}

static void
write_rows(struct page *page, const struct sample_rows *rows, bool calls)
{
  static const enum row_key labels[] = {ROW_PHASE, ROW_THREAD, ROW_REGION};
  const struct sample_row *row = rows->rows;
  uint32_t last = 0;
  write_bits(page, rows->count);
  for (size_t i = 0; i < rows->count; i++) {
    uint32_t place = page->chains.places[row[i].node];
    write_bits(page, place - last);
    last = place;
  }
  for (size_t i = 0; !calls && i < rows->count; i++)
    write_bits(page, page->places.types[row[i].keys[ROW_TYPE]]);
  for (size_t k = 0; k < sizeof labels / sizeof labels[0]; k++)
    for (size_t i = 0; i < rows->count; i++)
      write_bits(page, row[i].keys[labels[k]]);
  for (size_t i = 0;
       !calls && page->slices.starts.count > 0 && i < rows->count; i++)
    write_bits(page, row[i].keys[ROW_SLICE]);
  for (int c = 0; c <= COLUMN_OF_CALLS; c++) {
    if (calls != (c == COLUMN_OF_CALLS) ||
        (!calls && !view_knows(page->view, (enum measure)c)))
      continue;
    for (size_t i = 0; i < rows->count; i++)
      write_bits(page, row[i].counts[c]);
  }
}

static void
write_line_chains(struct page *page)
{
  if (page->lines == NULL) {
    write_bits(page, 0);
    return;
  }
  const struct tree *tree = &page->lines->tree.tree;
  const size_t count = page->lines->tree.allocating;
  write_bits(page, count);
  for (size_t i = 1; i < count; i++)
    write_bits(page, i - tree->nodes[i].parent);
  for (size_t i = 1; i < count; i++)
    write_bits(page, tree->nodes[i].item);
  for (size_t i = 0; i < page->rows.count; i++)
    write_bits(page, page->rows.rows[i].keys[ROW_LINE]);
}

void
page_write_chains(struct page *page)
{
  write_nodes(page);
  write_rows(page, &page->rows, false);
  write_rows(page, &page->calls, true);
  write_line_chains(page);
}
