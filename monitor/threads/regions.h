/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * regions.h -- the named regions of a Lisp program (mprof:with-region).
 *
 * What a thread allocates in a region has a leaf of its own, for the kind of
 * a leaf has the region's number.  So when a thread enters or leaves one, all
 * leaves that it has found are forgotten (some microseconds).
 *
 * Under the monitor's lock; not inside the hook.
 */
#ifndef MPROF_REGIONS_H
#define MPROF_REGIONS_H

#include <stdint.h>

/* The names on the path of a region, see region_table.h. */
const char *regions_path(uint32_t region);

/* Call `put' with a comment for each. */
void regions_comments(void (*put)(void *closure, const char *text),
                      void *closure);

/* Forget what was counted. */
void regions_forget(void);

#endif
