/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entries of the call graph table as data: one for each function and one
 * for each cycle, numbered in the order of printing, and for each entry who
 * called it and whom it called.  report_graph.c prints them.
 */

#ifndef MPROF_GRAPH_ENTRIES_H
#define MPROF_GRAPH_ENTRIES_H

#include "analysis/reduction.h"
#include "tables/ranking.h"

/* A caller or a callee of an entry. */
struct relation {
  uint32_t node;
  const char *name;       /* of the node */
  struct figures figures; /* of the chains that pass here; exact */
  uint64_t calls;
  uint64_t all_calls; /* made by the caller, or received by the callee */
  bool inside; /* both ends are in one cycle: the figures overlap others */
};

struct relations {
  struct relation *items; /* owned */
  size_t count, capacity;
};

struct graph_entries {
  const struct reduction *reduction;
  struct ranking ranking; /* item: a node, or node count + a cycle's place */
  size_t *index_of_node;  /* the number that the table shows, from 0 */
  size_t *index_of_cycle; /* by cycle number - 1 */
  uint64_t *calls_made;   /* by node: by it, to anyone and itself */
};

/* Ranks all functions and cycles by inclusive bytes, descending, unless the
 * options ask for another order; ties by depth, so that callers come first,
 * then by name.  False when memory runs out; release it even then. */
bool graph_entries_init(struct graph_entries *entries,
                        const struct reduction *reduction);
void graph_entries_release(struct graph_entries *entries);

/* The cycle that ROW of the ranking stands for, NULL for a function. */
const struct cycle *graph_entries_cycle(const struct graph_entries *entries,
                                        const struct ranking_row *row);

/* Fills RELATIONS with the callers (CALLERS true) or callees of one
 * function, without itself.  By bytes, ascending for callers and descending
 * for callees, so that the weightiest stand next to the entry; then by name.
 * RELATIONS is used again and again; the caller frees its items. */
bool graph_entries_of_node(const struct graph_entries *entries, uint32_t node,
                           bool callers, struct relations *relations);

/* The same for a cycle as one function; only relations with the outside. */
bool graph_entries_of_cycle(const struct graph_entries *entries,
                            const struct cycle *cycle, bool callers,
                            struct relations *relations);

#endif
