/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- notes for who makes a profile of the image: the types of
 * ECL's objects, and how their counts agree with the collector's.
 */
#ifndef MPROF_MALLOC_LISP_PROFILE_H
#define MPROF_MALLOC_LISP_PROFILE_H

/* Note all types, if there is an image. */
void lisp_profile_note(void);

/* The process is at its regular end, and lisp_balance_end was called. */
void lisp_profile_note_balance(void);

#endif
