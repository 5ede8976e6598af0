/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reach.h -- which of the objects that were never freed the program could
 * still free, and which it has lost.
 *
 * An object is reachable when a root (roots.h) or a reachable object has the
 * address of it, or of something in it.  The others are lost: directly, or
 * indirectly if another lost object leads to them.  Of objects that lead to
 * one another and that nothing else leads to, one is lost directly, whichever
 * has the least address.  So what is lost directly are the heads of lost
 * structures, as valgrind has it.
 *
 * It is sought at the end of the process, if it was asked for, and put into
 * the image.
 */
#ifndef MPROF_REACH_H
#define MPROF_REACH_H

#include "code/code_objects.h"
#include "malloc/count/stripes.h"
#include "malloc/reach/stopped_threads.h"

/* What of a leaf was lost. */
struct leaf_loss {
  struct object_count direct, indirect;
};

/* Seek it.  All is locked, and this thread is as `here' says.  Gives back why
 * that cannot be done; NULL: it is done. */
const char *reach_seek(const struct code_objects *code,
                       const struct stopped_thread *here);

#endif
