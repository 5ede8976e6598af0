/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The data of the page (export_html.c), of one reduction, while they are
 * written.
 */

#ifndef MPROF_PAGE_H
#define MPROF_PAGE_H

#include "export/frame_colours.h"
#include "export/time_slices.h"
#include "tables/output.h"
#include "tables/sample_rows.h"
#include "tables/writer.h"

/* The functions of a chain that do not show: of the runtime, hidden, or
 * further out than the first frame of --show-from.  What --focus and --ignore
 * match is a chain with them, so that who wants to choose among chains of
 * which only the shown part is left has to know them, too.
 *
 * They are sets, as a tree: a set is its parent and one function more.  It is
 * made in the order of the chain, so that sets with the same functions can
 * differ. */
struct unseen {
  struct tree sets;   /* its items are functions of the frame table */
  uint32_t *of_node;  /* by node of the profile; TREE_ROOT: all shows */
  uint32_t *of_calls; /* likewise; where functions are inlined, a call counts
                         for what they are in, too, of which they are no part
                         of the chain: with all that the node is */
};

struct page {
  const struct reduction *reduction;
  struct time_slices slices;
  struct json_places places;
  struct call_tree tree;
  struct view_options line_options;
  struct reduction lines; /* by line; zeroed: there are none */
  struct unseen unseen;
  struct sample_rows rows, calls;
  struct frame_colours colours;
  struct writer out;
};

/* Finds what SELECTION does not show.  Linear in the nodes of the profile,
 * but for the number of functions in a set. */
void unseen_init(struct unseen *unseen, const struct selection *selection);

/* Finds the same chains by line, where the profile has lines. */
void page_find_lines(struct page *page);

/* Finds the chains and what is at their ends. */
void page_collect(struct page *page);

/* Writes the chains: see export_html.c; and what their labels stand for. */
void page_write_chains(struct page *page);
void page_write_labels(struct page *page);

/* Writes the slices of time. */
void page_write_slices(struct page *page);

/* Writes what the nodes of the chains by line are, and what stands there in
 * the files. */
void page_write_lines(struct page *page);

#endif
