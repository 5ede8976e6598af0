/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a profile from an image: that of the program as it was when the image
 * was written to last. */

#pragma once

#include "pprof/reader.h"
#include "recover/image_reader.h"
#include "symbols/code_names.h"

/* Reads the image PATH, or that in memory which OPTIONS has, and adds it to
 * PROFILE, as profile_read does.  LOSSES and TIMELINE are of its program, or
 * NULL: they are not known.  CODE has files that were read, and gets more. */
void recover_image(struct profile *profile, const char *path,
                   const struct losses *losses,
                   const struct timeline *timeline, struct code_names *code,
                   const struct reader_options *options);
