/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much of a profile belongs to no function by name: what a reader of the
 * tables cannot look up in any source.
 *
 * A name is that of a Lisp function or of a C function.  No name are the
 * placeholders in brackets: [libfoo.so] (code without a symbol), [unknown],
 * [signal handler], [over the budget], and [runtime] and [session], which
 * stand for a chain of which nothing shows; an address; no text at all.
 *
 * Frames count as they show when no regular expression narrows the tables:
 * runtime functions and what called the profiled body are hidden unless they
 * are asked for.  All samples count.
 */

#ifndef MPROF_NAMELESS_SHARE_H
#define MPROF_NAMELESS_SHARE_H

#include "graph/selection.h"

struct nameless_share {
  uint64_t leaf_bytes;  /* charged to something without a name */
  uint64_t chain_bytes; /* with something without a name on their chain */
};

/* Linear in functions and frames.  False when memory runs out. */
bool nameless_share_count(struct nameless_share *share,
                          const struct selection *selection,
                          bool show_runtime);

/* Whether TEXT is the name of a function. */
bool is_function_name(const char *text);

#endif
