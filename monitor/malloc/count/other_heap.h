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

struct other_heap {
  /* There is an image from now on: put counters and notes there, of types,
   * and of the names that are known.  All is locked. */
  void (*note)(void);

  /* Forget the counts of its objects.  All is locked. */
  void (*forget)(void);

  /* In the child of a fork. */
  void (*forked)(void);

  /* The process is at its regular end, with nothing locked: note what only
   * then is known. */
  void (*end)(void);
};

extern const struct other_heap *other_heap HIDDEN; /* NULL: there is none */

#endif
