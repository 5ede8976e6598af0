/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes a profile from an image: that of the program as it was when the image
 * was written to last. */

#pragma once

#include "images/image_reader.h"
#include "profile/reader.h"
#include "symbols/code_names.h"

/* Adds the image PATH, or OPTIONS->octets if there are any, to PROFILE, as
 * profile_read does.  Returns false if that is no image; fails if it is
 * damaged.  CODE has files that were read, and gets more. */
bool recover_image(struct profile *profile, const char *path,
                   struct code_names *code,
                   const struct reader_options *options);
