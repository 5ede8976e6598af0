/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Colours of frames: by package, so that the program's own code stands out
 * from what ECL brings, which is grey.  The page has the same colours.
 */

#ifndef MPROF_FRAME_COLOURS_H
#define MPROF_FRAME_COLOURS_H

#include "base/sink.h"
#include "reduction.h"

struct frame_colour {
  unsigned char red, green, blue;
};

/* The colour of each node of REDUCTION's call graph; the caller frees the
 * array.  NULL when memory runs out. */
struct frame_colour *frame_colours(const struct reduction *reduction);

/* The colour of the frame that stands for everything. */
struct frame_colour frame_colour_of_whole(void);

/* Writes the name of FUNCTION's package to SINK; "" for one that is nobody's:
 * of COMMON-LISP, C, or no function at all. */
void frame_package_write(const struct reduction *reduction,
                         const struct function *function,
                         struct sink *sink);

#endif
