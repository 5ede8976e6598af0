/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entries of the call graph table as data: one for each function and one
 * for each cycle, numbered in the order of printing, and for each entry who
 * called it and whom it called.  report_graph.c prints them.
 */

#pragma once

#include "analysis/view.h"
#include "tables/ranking.h"

/* A caller or a callee of an entry; or what several have together. */
struct relation {
  uint32_t node;          /* INDEX_NONE: a sum */
  const char *name;       /* of a sum; NULL: it is of small ones */
  struct figures figures; /* of the chains that pass here; exact */
  uint64_t calls;
  size_t count; /* of a sum: how many it is of */
  bool inside;  /* both ends are in one cycle: the figures overlap others */
};

/* Adds FIGURES and CALLS, perhaps CALLS_UNKNOWN, of one more to SUM. */
void relation_add(struct relation *sum, const struct figures *figures,
                  uint64_t calls);

struct graph_entries {
  const struct view *view;
  struct ranking ranking; /* of nodes, functions and cycles */
  size_t *index_of;     /* by node: the number that the table shows, from 0 */
  uint64_t *calls_made; /* by node: by it, to anyone and itself */

  /* Of the entry that graph_entry_relate was called with last. */
  uint32_t *place_of; /* by node: its number in relations while these are
                         found, from 1 on; 0: none */
  struct relation *relations;
  size_t relation_count, relation_capacity;
  uint64_t whole; /* weight of those that are not inside, and of chains that
                     start at the entry */
};

/* Ranks all functions and cycles by inclusive bytes, descending, unless the
 * options ask for another order; ties by depth, so that callers come first,
 * then by name.  What is left out counts as what those functions themselves
 * allocated: their inclusive figures overlap. */
void graph_entries_init(struct graph_entries *entries,
                        const struct view *view);

/* Finds the callers (CALLERS true) or callees of ENTRY, a node of the graph,
 * by weight, bytes and allocations, descending, then by name: of a function
 * without itself, of a cycle, taken as one function, only those outside. Then
 * come sums: of small ones, which are left out where there are several, of
 * chains without a caller, and of all outside. */
void graph_entry_relate(struct graph_entries *entries, size_t entry,
                        bool callers);
