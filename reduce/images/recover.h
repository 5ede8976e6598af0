/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a profile from an image: that of the program as it was when the image
 * was written to last. */

#pragma once

#include "images/image_reader.h"
#include "profile/reader.h"
#include "symbols/code_names.h"

/* Adds PATH to PROFILE, as profile_read does, if that is an image.  Returns
 * false if it is none.  CODE has files that were read, and gets more. */
bool recover_image(struct profile *profile, const char *path,
                   struct code_names *code,
                   const struct reader_options *options);
