/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mapped.h -- the figures of a C program in an image (tree/image.h): what was
 * counted until a signal that nobody can handle is there afterwards.
 */
#ifndef MPROF_MALLOC_MAPPED_H
#define MPROF_MALLOC_MAPPED_H

/* Begin, if the environment says so.  Prints one line when that fails. */
void mapped_open(void);

#endif
