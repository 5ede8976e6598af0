/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Single pieces of the image of a C program, without reading all of it. */

#ifndef MPROF_IMAGE_PIECES_H
#define MPROF_IMAGE_PIECES_H

#include "base/mprof_error.h"
#include "common/image_format.h"
#include "malloc/count/stripes.h"

/* Maps the stripes of the image PATH: image_unmap_stripes is to follow.  NULL:
 * it is none, or has none yet. */
struct stripes *image_pieces_stripes(const char *path);
void image_unmap_stripes(struct stripes *shared);

/* The same of those that are at OFFSET in PATH. */
struct stripes *image_map_stripes(const char *path, uint64_t offset);

/* Adds an array of LENGTH bytes to the image PATH, which no process counts in
 * any more.  False: ERROR says why that cannot be done. */
bool image_pieces_append(const char *path, enum image_kind kind,
                         const void *bytes, size_t length,
                         struct mprof_error *error);

#endif
