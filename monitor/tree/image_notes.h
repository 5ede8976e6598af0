/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * image_notes.h -- what image.c has to do for the notes of an image.
 */
#ifndef MPROF_IMAGE_NOTES_H
#define MPROF_IMAGE_NOTES_H

/* The image is new.  Gives back 0 or an errno value. */
int image_notes_begin(void);

/* For the time of a fork, which a handler of a signal may make that has
 * interrupted who writes a note; in the child there are none any more. */
void image_notes_lock(void);
void image_notes_unlock(void);
void image_notes_forked(void);

#endif
