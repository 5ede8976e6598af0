/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_frames.h -- what is in the frames of ECL's interpreter, and in those
 * of functions that stand in front of it and number their calls: see
 * chain_notes.
 */
#ifndef MPROF_LISP_FRAMES_H
#define MPROF_LISP_FRAMES_H

void lisp_frames_open(void);

#endif
