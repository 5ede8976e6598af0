/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is the same for images of all programs. */

#include "recover/recover.h"

bool
recover_image(struct profile *profile, const char *path,
              const struct losses *losses,
              const struct reader_options *options, struct mprof_error *error)
{
  struct image image;
  struct image_notes notes = {0};
  const struct recovery recovery = {profile, &image, &notes, options, error};
  if (options->octets.data != NULL)
    image_read_octets(&image, options->octets);
  else
    image_read(&image, path);
  image.losses = losses;
  image_notes_read(&notes, &image, error);
  if (image.head.language == IMAGE_LISP)
    recover_lisp(&recovery);
  else
    recover_c(&recovery);
  return true;
}
