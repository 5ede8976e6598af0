/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_info.c -- read the call-frame information of a whole section.
 *
 * The program of a function (frame_entry.h) says for every instruction where
 * the caller's frame is.  Only one thing is asked of it: does it ever compute
 * the frame from the frame pointer register.  A function that realigns its
 * stack computes it by an expression; the frame pointer is not enough there,
 * and it counts as one without.
 */
#include "walk/frame_info.h"

#include "arch/registers.h"
#include "walk/frame_entry.h"

/* Does the program ever compute the frame from the frame pointer? */
static bool
uses_frame_pointer(struct frame_cursor c, unsigned encoding,
                   const struct frame_section *section)
{
  while (c.at < c.end && !c.bad) {
    unsigned op = (unsigned)frame_take_number(&c, 1);
    if ((op & 0xC0) == CFA_ADVANCE_LOC || (op & 0xC0) == CFA_RESTORE)
      continue;
    if ((op & 0xC0) == CFA_OFFSET) {
      frame_take_uleb(&c);
      continue;
    }
    switch (op) {
    case CFA_DEF_CFA:
    case CFA_DEF_CFA_SF:
    case CFA_DEF_CFA_REGISTER:
      if (frame_take_uleb(&c) == ARCH_REGISTER_FRAME_POINTER)
        return !c.bad;
      if (op != CFA_DEF_CFA_REGISTER)
        frame_take_uleb(&c);
      break;
    case CFA_SET_LOC:
      frame_take_pointer(&c, encoding, section);
      break;
    case CFA_ADVANCE_LOC1:
      frame_take(&c, 1);
      break;
    case CFA_ADVANCE_LOC2:
      frame_take(&c, 2);
      break;
    case CFA_ADVANCE_LOC4:
      frame_take(&c, 4);
      break;
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
    case CFA_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
      frame_take_uleb(&c);
      frame_take_uleb(&c);
      break;
    case CFA_RESTORE_EXTENDED:
    case CFA_UNDEFINED:
    case CFA_SAME_VALUE:
    case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF:
    case CFA_GNU_ARGS_SIZE:
      frame_take_uleb(&c);
      break;
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
      frame_take_uleb(&c);
      frame_take(&c, frame_take_uleb(&c));
      break;
    case CFA_DEF_CFA_EXPRESSION:
      frame_take(&c, frame_take_uleb(&c));
      break;
    case 0: /* nothing: padding */
    case CFA_REMEMBER_STATE:
    case CFA_RESTORE_STATE:
      break;
    default:
      return false;
    }
  }
  return false;
}

bool
frame_info_each(const struct frame_section *section,
                bool (*found)(void *, const struct frame_function *),
                void *closure)
{
  struct frame_cursor all = {.at = section->bytes,
                             .end = section->bytes + section->size};
  while (all.at < all.end) {
    struct frame_entry entry;
    struct frame_function f;
    switch (frame_entry_next(&all, section, &entry)) {
    case FRAME_ENTRY_BAD:
      return false;
    case FRAME_ENTRY_LAST:
      return true;
    case FRAME_ENTRY_COMMON:
      continue;
    case FRAME_ENTRY_FUNCTION:
      break;
    }
    f.start = entry.start;
    f.size = entry.size;
    f.frame_pointer =
        uses_frame_pointer(entry.common.program, entry.common.encoding,
                           section) ||
        uses_frame_pointer(entry.program, entry.common.encoding, section);
    if (f.start != 0 && !found(closure, &f))
      return true;
  }
  return !all.bad;
}
