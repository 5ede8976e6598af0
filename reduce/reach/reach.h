/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of the objects that were never freed the program could still free,
 * and which it has lost.
 *
 * An object is reachable when a root (roots.h) or a reachable object has the
 * address of it, or of something in it.  The others are lost: directly, or
 * indirectly if another lost object leads to them.  Of objects that lead to
 * one another and that nothing else leads to, one is lost directly, whichever
 * has the least address.  So what is lost directly are the heads of lost
 * structures, as valgrind has it.
 */

#ifndef MPROF_REACH_REACH_H
#define MPROF_REACH_REACH_H

#include "common/image_format.h"
#include "recover/losses.h"

/* Stops the process that counts in the image PATH, and looks for what it has
 * lost, by what SEARCH says.  Gives back why that cannot be done; NULL: it is
 * done.  For a process with one thread, see traced_threads.h; afterwards the
 * other process goes on. */
const char *reach_find(struct losses *losses, const char *path,
                       const struct image_search *search);

#endif
