/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * other_heap.h -- another heap in the process, whose objects are in the same
 * tree: that of a Lisp runtime without hooks for a monitor (malloc/ecl/).
 *
 * Its leaves are told by what they are of (kind.what is not 0).  Nothing is
 * known of when its objects end.
 */
#ifndef MPROF_OTHER_HEAP_H
#define MPROF_OTHER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/attributes.h"
#include "tree/context_tree.h"

struct pprof_stream;

struct other_heap {
  /* Allocations until now. */
  uint64_t (*events)(void);

  /* Add the counts of its objects to the leaves of the tree, or forget them.
   * All is locked. */
  void (*settle)(struct context_tree *tree);
  void (*forget)(void);

  /* In the child of a fork. */
  void (*forked)(void);

  /* The process is at its regular end, with nothing locked. */
  void (*end)(void);

  /* What is written: the labels of a leaf, the comments, the name of what is
   * at a site in the function with that number, or NULL. */
  void (*put_labels)(struct pprof_stream *p, const struct kind *kind);
  void (*put_comments)(struct pprof_stream *p,
                       const struct context_tree *tree);
  const char *(*name_of)(uint64_t site, uint32_t function);

  /* See sample_writer.h. */
  uint64_t (*between)(uint64_t site, uint32_t function, uint32_t callee);
};

extern const struct other_heap *other_heap HIDDEN; /* NULL: there is none */

/* Whether a leaf of that kind is one of the other heap. */
static inline bool
kind_is_of_other_heap(const struct kind *kind)
{
  return kind->what != 0;
}

#endif
