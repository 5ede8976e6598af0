/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_info.h -- what a section .eh_frame says about functions.
 *
 * Where does each function begin and end, even when symbols were stripped;
 * and does it keep a frame pointer?  The answer is for a whole function: a
 * compiler that keeps frame pointers sets one up before it calls anything.
 * How to unwind a certain frame is not answered here; libunwind does that.
 */
#ifndef MPROF_FRAME_INFO_H
#define MPROF_FRAME_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section .eh_frame in memory, and the address that it has when it is
 * loaded (pointers in it are relative to that). */
struct frame_section {
  const uint8_t *bytes;
  size_t size;
  uintptr_t address;
};

struct frame_function {
  uintptr_t start;
  size_t size;
  bool frame_pointer; /* its frame is where the frame pointer says */
};

/* Call `found' with each function of the section until it gives back false.
 * Gives back false when the section makes no sense at some place; what was
 * found before is right.  Not inside the hook. */
bool frame_info_each(const struct frame_section *section,
                     bool (*found)(void *closure,
                                   const struct frame_function *function),
                     void *closure);

#endif
