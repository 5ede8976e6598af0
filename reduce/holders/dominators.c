/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds immediate dominators by the algorithm Semi-NCA. */

#include "holders/dominators.h"

#include "base/pool.h"

#include <string.h>

/* The forest of the nodes that have been looked at, the last ones. */
struct forest {
  uint32_t *ancestors; /* its root, if not a node before them, is nearer */
  uint32_t *labels;    /* the node with the least semidominator on the way */
  uint32_t *semi;      /* semidominators */
  uint32_t *stack;     /* room for a path */
};

/* Returns the node with the least semidominator from `node' up to, but
 * without, the first ancestor before `least'. */
static uint32_t
evaluate(const struct forest *f, uint32_t node, uint32_t least)
{
  uint32_t depth = 0, v = node;
  while (f->ancestors[v] >= least) {
    f->stack[depth++] = v;
    v = f->ancestors[v];
  }
  while (depth-- > 0) {
    const uint32_t above = v;
    v = f->stack[depth];
    if (f->semi[f->labels[above]] < f->semi[f->labels[v]])
      f->labels[v] = f->labels[above];
    f->ancestors[v] = f->ancestors[above];
  }
  return f->labels[node];
}

uint32_t *
dominators_find(uint32_t count, const uint32_t *parents,
                const uint32_t *first, const uint32_t *predecessors)
{
  uint32_t *dominator = pool_zeroed(count, sizeof *dominator);
  struct forest f = {.ancestors = pool_alloc(count * sizeof *dominator),
                     .labels = pool_alloc(count * sizeof *dominator),
                     .semi = pool_alloc(count * sizeof *dominator),
                     .stack = dominator};
  memcpy(f.ancestors, parents, count * sizeof *parents);
  memcpy(f.semi, parents,
         count * sizeof *parents); /* each is a predecessor */
  for (uint32_t v = 0; v < count; v++)
    f.labels[v] = v;
  for (uint32_t v = count - 1; v > 0; v--)
    for (uint32_t i = first[v]; i < first[v + 1]; i++) {
      const uint32_t u = predecessors[i];
      const uint32_t s = u <= v ? u : f.semi[evaluate(&f, u, v + 1)];
      if (s < f.semi[v])
        f.semi[v] = s;
    }
  dominator[0] = 0;
  for (uint32_t v = 1; v < count; v++) {
    uint32_t d = parents[v];
    while (d > f.semi[v])
      d = dominator[d];
    dominator[v] = d;
  }
  pool_free(f.ancestors);
  pool_free(f.labels);
  pool_free(f.semi);
  return dominator;
}
