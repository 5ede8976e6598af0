/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The data of the page (export_html.c), of one view, while they are
 * written.
 */

#pragma once

#include "export/time_slices.h"
#include "tables/output.h"
#include "tables/sample_rows.h"
#include "tables/writer.h"

struct page {
  const struct view *view;
  struct time_slices slices;
  struct json_places places;
  struct chains chains;
  const struct view *lines; /* by line; NULL: there are none */
  struct sample_rows rows, calls;
  struct writer out;
};

/* Writes the lists "lines", of the items of the tree by line, and "sources",
 * of the text near these in their files.  Both are empty without page->lines,
 * and "sources" is with --no-source.  A file that cannot be read
 * is left out. */
void page_write_lines(struct page *page);
