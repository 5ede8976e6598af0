/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From an image to a profile: that of the program as it was when the image was
 * written to last.
 */

#ifndef MPROF_RECOVER_H
#define MPROF_RECOVER_H

#include "recover/image_notes.h"
#include "recover/octets.h"

/* Puts the figures of IMAGE, a Lisp or a C program's, into FILE, which is
 * open.  False: ERROR says why; a failure of FILE stays in that. */
typedef bool recover_function(struct image *image,
                              const struct image_notes *notes,
                              struct octets *file,
                              struct mprof_error *error);
recover_function recover_lisp;
recover_function recover_c;

/* Puts a profile of the image PATH into FILE, in memory: the caller takes its
 * contents.  LOSSES are of its program, or NULL.  False: ERROR says why. */
bool recover_file(const char *path, const struct losses *losses,
                  struct octets *file, struct mprof_error *error);

/* The same for the image OCTETS. */
bool recover_octets(struct input_octets octets, struct octets *file,
                    struct mprof_error *error);

/* The comment that tells why such a profile may lack something; NULL: it lacks
 * nothing that an image has. */
const char *recover_note(const struct image *image);

#endif
