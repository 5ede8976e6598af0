/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is the same for images of all programs. */

#include "recover/recover.h"

#include "recover/building.h"

void
recover_image(struct profile *profile, const char *path,
              const struct losses *losses, const struct timeline *timeline,
              struct code_names *code, const struct reader_options *options)
{
  struct image image;
  struct building building = {
      .image = &image,
      .code = code,
      .reading = {.profile = profile, .options = options}};
  if (options->octets.data != NULL)
    image_read_octets(&image, options->octets);
  else
    image_read(&image, path);
  image.losses = losses;
  image.timeline = timeline;
  image_notes_read(&building.notes, &image);
  if (image.head.language == IMAGE_LISP)
    recover_lisp(&building);
  else
    recover_c(&building, &image);
  image_free(&image);
}
