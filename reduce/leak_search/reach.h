/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of the objects that were never freed the program could still free,
 * and which it has lost.
 *
 * An object is reachable when a root (roots.c) or a reachable object has the
 * address of it, or of something in it.  The others are lost: directly, or
 * indirectly if another lost object leads to them.  Of objects that lead to
 * one another and that nothing else leads to, one is lost directly, whichever
 * has the least address.  So what is lost directly are the heads of lost
 * structures, as valgrind has it.
 *
 * The programs of a run wait at their ends until that is found out (struct
 * image_search).  The search is done by a process of its own, as only that
 * can wait for the threads of a child of this process, and as it may take
 * much memory.
 *
 * One thread at a time, outside of any attempt().
 */

#pragma once

#include "images/image_reader.h"

enum { SEARCH_WHY_BYTES = 96 };

/* Looks for what the program that counts in the image PATH has lost, if it
 * waits for that, and lets it go on.  Returns true, also if it does not wait;
 * then *LOSSES, empty before, have what was found, and the caller frees
 * losses->leaves by free().  Returns false, and sets WHY to a reason, if the
 * search is impossible or takes ten minutes. */
bool reach_search(const char *path, struct losses *losses,
                  char why[SEARCH_WHY_BYTES]);
