/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entries of the call graph table as data: one for each function and one
 * for each cycle, numbered in the order of printing, and for each entry who
 * called it and whom it called.  report_graph.c prints them.
 */

#pragma once

#include "analysis/view.h"
#include "tables/ranking.h"

/* A caller or a callee of an entry. */
struct relation {
  uint32_t node;
  const char *name;       /* of the node */
  struct figures figures; /* of the chains that pass here; exact */
  uint64_t weight;        /* of these: see view_weight */
  uint64_t calls;
  uint64_t all_calls; /* made by the caller, or received by the callee */
  bool inside; /* both ends are in one cycle: the figures overlap others */
  bool small;  /* has a smaller share of the entry than options ask for */
};

/* What several relations, or members of a cycle, have together. */
struct graph_sum {
  struct figures figures;
  uint64_t calls;
  size_t count;
};

void graph_sum_add(struct graph_sum *sum, const struct figures *figures,
                   uint64_t calls);

struct graph_entries {
  const struct view *view;
  struct ranking ranking; /* of nodes, functions and cycles */
  size_t *index_of;     /* by node: the number that the table shows, from 0 */
  uint64_t *calls_made; /* by node: by it, to anyone and itself */
  uint32_t *place_of;   /* by node: from 1 on, among these; 0: none */
  struct relation *relations; /* of the entry in hand, as what follows */
  size_t relation_count, relation_capacity;
  struct graph_sum all;      /* of those outside, with: */
  struct graph_sum root;     /* chains without a caller */
  struct graph_sum rests[2]; /* of small ones, outside and inside */
};

/* Ranks all functions and cycles by inclusive bytes, descending, unless the
 * options ask for another order; ties by depth, so that callers come first,
 * then by name.  What is left out counts as what those functions themselves
 * allocated: their inclusive figures overlap. */
void graph_entries_init(struct graph_entries *entries,
                        const struct view *view);

/* Finds the callers (CALLERS true) or callees of ENTRY, by bytes, descending,
 * then by name: of a function without itself, of a cycle, taken as one
 * function, only those outside; and adds them up. */
void graph_entry_relate(struct graph_entries *entries, size_t entry,
                        bool callers);
