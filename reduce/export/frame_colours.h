/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Colours of frames in the page: by package, so that the program's own code
 * stands out from what ECL brings, which is grey.
 */

#ifndef MPROF_FRAME_COLOURS_H
#define MPROF_FRAME_COLOURS_H

#include "analysis/reduction.h"
#include "base/names.h"

/* What the functions of one package have in common. */
struct frame_package {
  const char *name;
  uint32_t id;    /* of the name */
  int hue;        /* degrees */
  uint64_t bytes; /* the most that one of its functions has with all below */
};

struct frame_colours {
  struct names names;
  struct frame_package *packages; /* by bytes, descending, then by name */
  size_t count;
  uint32_t *of_node; /* the package of each node of the graph; INDEX_NONE:
                        nobody's: ECL's own, of COMMON-LISP, C, or no
                        function at all */
};

void frame_colours_init(struct frame_colours *colours,
                        const struct reduction *reduction);

/* How much lighter than others of its package the function NAME shows, in per
 * cents: -4 to 4. */
int frame_shade(const char *name);

#endif
