/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * autosave.h -- the file of a program that is killed: it is written after so
 * many allocations, again and again, by the thread that makes the last one.
 */
#ifndef MPROF_AUTOSAVE_H
#define MPROF_AUTOSAVE_H

#include <stdint.h>

/* Write it after every `count' allocations from now on; 0: never.  Or as
 * often as their number has doubled, from a million on, unless an image has
 * them (tree/image.h). */
#define AUTOSAVE_DOUBLED UINT64_MAX
void autosave_set(uint64_t count);

/* Counting begins anew.  With all stripes locked. */
void autosave_expect(void);

#endif
