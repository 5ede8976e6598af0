/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The data of the page (export_html.c): what their parts have in common, and
 * members of JSON objects.  With NULL for KEY, what is written is an item of
 * an array.  Errors are sticky in the sink.
 */

#ifndef MPROF_HTML_DATA_H
#define MPROF_HTML_DATA_H

#include "export/chain_rows.h"
#include "export/chain_tree.h"
#include "export/frame_colours.h"
#include "base/sink.h"
#include "reduction.h"

/* What is being written. */
struct page {
  const struct reduction *reduction;
  struct chain_tree tree;
  struct chain_rows rows;
  struct frame_colours colours;
  struct sink *sink;
  bool first; /* nothing stands in the object or array in hand */
};

/* Begin and end an object or array. */
void page_begin(struct page *page, const char *key, const char *bracket);
void page_end(struct page *page, const char *bracket);

/* Write a number; null unless it is KNOWN, not INDEX_NONE or not
 * CALLS_UNKNOWN. */
void page_number(struct page *page, const char *key, uint64_t number);
void page_optional(struct page *page, const char *key, bool known,
                   uint64_t number);
void page_index(struct page *page, const char *key, uint32_t index);
void page_calls(struct page *page, const char *key, uint64_t calls);

/* Write TEXT as it is, and NAME made to fit on one line. */
void page_text(struct page *page, const char *key, const char *text);
void page_name(struct page *page, const char *key, const char *name);

/* Whether the profile knows MEASURE, an enum measure. */
bool page_knows(const struct page *page, int measure);

/* Write the measures of FIGURES that are known, as members of the object in
 * hand; and the same as an object, with the bytes by category. */
void page_counts(struct page *page, const struct figures *figures);
void page_figures(struct page *page, const char *key,
                  const struct figures *figures);

/* Write the tables of functions, arcs, types, bins and regions. */
void page_tables(struct page *page);

/* The place of the profile's region INDEX in the table of regions. */
uint32_t page_region(const struct page *page, uint32_t index);

#endif
