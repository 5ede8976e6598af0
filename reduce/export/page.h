/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The data of the page (export_html.c), of one reduction, while they are
 * written.
 */

#ifndef MPROF_PAGE_H
#define MPROF_PAGE_H

#include "analysis/unseen.h"
#include "export/frame_colours.h"
#include "tables/output.h"
#include "tables/sample_rows.h"
#include "tables/writer.h"

struct page {
  const struct reduction *reduction;
  struct json_places places;
  struct call_tree tree;
  struct unseen unseen;
  struct sample_rows rows, calls;
  struct frame_colours colours;
  struct writer out;
};

/* Finds the chains and what is at their ends. */
void page_collect(struct page *page);

/* Writes the chains: see export_html.c; and what their labels stand for. */
void page_write_chains(struct page *page);
void page_write_labels(struct page *page);

/* Writes what each line of a function allocated, where the profile has lines,
 * and what stands there in the files. */
void page_write_lines(struct page *page);

#endif
