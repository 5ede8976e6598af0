/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The programs of a run that wait at their ends until it is found out what
 * they have lost (struct image_search), and what was found, which is kept
 * until their images are read.
 *
 * The search is done by a process of its own, as only that can wait for the
 * threads of a child of this process, and as it may take much memory.
 *
 * One thread at a time.
 */

#ifndef MPROF_REACH_SEARCH_H
#define MPROF_REACH_SEARCH_H

#include "reach/reach.h"

#include <stdbool.h>
#include <sys/types.h>

struct found_losses {
  dev_t device; /* of the image: it may be renamed */
  ino_t inode;
  struct losses losses;
};

struct searches {             /* all zero: none */
  struct found_losses *items; /* owned, as are their losses */
  size_t count, capacity;
};

enum { SEARCH_WHY_BYTES = 96 };

/* If the program that counts in the image PATH waits, looks for what it has
 * lost and lets it go on.  False: WHY that cannot be done. */
bool searches_serve(struct searches *searches, const char *path,
                    char why[SEARCH_WHY_BYTES]);

/* Whether anything was found of the program that counted in the image PATH;
 * moves it to LOSSES. */
bool searches_take(struct searches *searches, const char *path,
                   struct losses *losses);
void searches_release(struct searches *searches);

#endif
