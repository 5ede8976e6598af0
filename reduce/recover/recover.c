/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is the same for images of all programs. */

#include "recover/recover.h"

#include <errno.h>
#include <string.h>

const char *
recover_note(const struct image *image)
{
  return (image->head.flags & IMAGE_INCOMPLETE) != 0
             ? "allocations that did not fit into the file that the program "
               "had mapped"
             : NULL;
}

/* Puts IMAGE, if it is READ, into FILE, and releases it. */
static bool
recover(struct image *image, bool read, struct octets *file,
        struct mprof_error *error)
{
  struct image_notes notes = {0};
  bool good = read && image_notes_read(&notes, image, error);
  if (good) {
    good = (image->head.language == IMAGE_LISP ? recover_lisp : recover_c)(
        image, &notes, file, error);
    if (!good)
      octets_fail(file, EINVAL);
    good = good && (file->failed == 0 ||
                    mprof_fail(error, MPROF_NO_MEMORY,
                               "cannot recover '%s': %s", image->path,
                               strerror(file->failed)));
  }
  image_notes_release(&notes);
  image_read_release(image);
  return good;
}

bool
recover_file(const char *path, const struct losses *losses,
             struct octets *file, struct mprof_error *error)
{
  struct image image;
  const bool read = image_read(&image, path, error);
  image.losses = losses;
  return recover(&image, read, file, error);
}

bool
recover_octets(struct input_octets octets, struct octets *file,
               struct mprof_error *error)
{
  struct image image;
  const bool read = image_read_octets(&image, octets, error);
  return recover(&image, read, file, error);
}
