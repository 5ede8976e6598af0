/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What exports list: the functions, arcs, types, phases and threads of a
 * reduction, each in the one order that all formats have, and what is known
 * of each.
 *
 * Functions and arcs are sorted by inclusive bytes, the others by bytes, or
 * by what --value counts, all descending; then by bytes and allocations. Ties
 * go by depth (functions), by the caller's first appearance in the file
 * (arcs), by category (types), then by name.  Types, phases and threads that
 * allocated nothing are left out.
 */

#ifndef MPROF_LISTING_H
#define MPROF_LISTING_H

#include "reduction.h"
#include "report/ranking.h"

/* Fills RANKING, whose items are indices into what is listed.  False when
 * memory runs out; release RANKING even then. */
typedef bool listing(const struct reduction *reduction,
                     struct ranking *ranking);

listing list_functions; /* nodes of the graph */
listing list_arcs;
listing list_types;   /* types of the profile */
listing list_phases;  /* enum phase */
listing list_threads; /* threads of the profile */

/* The source file of NODE, "" when not known; and the line where it begins,
 * zero when not known. */
const char *listed_file(const struct reduction *reduction,
                        const struct graph_node *node);
int64_t listed_line(const struct reduction *reduction,
                    const struct graph_node *node);

/* The key of the INDEX-th comment, which the caller frees, and in *VALUE its
 * value; NULL when memory runs out. */
char *listed_comment(const struct profile *profile, size_t index,
                     const char **value);

#endif
