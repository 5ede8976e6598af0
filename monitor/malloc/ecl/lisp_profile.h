/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- notes for who makes a profile of the image: the types of
 * ECL's objects.
 */
#ifndef MPROF_MALLOC_LISP_PROFILE_H
#define MPROF_MALLOC_LISP_PROFILE_H

/* Note all types, if there is an image. */
void lisp_profile_note(void);

#endif
