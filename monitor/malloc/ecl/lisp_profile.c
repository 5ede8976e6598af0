/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.c -- see lisp_profile.h.
 */
#include "malloc/ecl/lisp_profile.h"

#include "malloc/ecl/lisp_heap.h"
#include "names/classify.h"
#include "tree/image.h"

_Static_assert((int)LISP_MORE_SHIFT == (int)NOTE_CLASS_SHIFT &&
                   (1 << LISP_TYPE_BITS) - 1 == (int)NOTE_TYPE_ALONE,
               "what a reader of images knows of types");

/* The hooks of a patched ECL call it otherwise: see classify.h. */
static void
note_type(uint32_t what, uint32_t flags)
{
  const uint32_t type = LISP_TYPE(what);
  const uint32_t as_hooked =
      type | (type == t_instance ? 0 : what >> LISP_MORE_SHIFT << 8) |
      ((what & LISP_NOT_SIMPLE) != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  image_note(NOTE_TYPE, what, classify_category(as_hooked) | flags, 0,
             classify_type_name(as_hooked));
}

void
lisp_profile_note(void)
{
  enum { MOST = 64 }; /* element types, and modes of streams */
  image_note(NOTE_COARSE, 0, 0, 0,
             "This ECL was not built by mprof: chains can lack functions that "
             "are inlined or end in a call");
  for (uint32_t type = 0; type < t_end && image_is_open(); type++) {
    note_type(LISP_WHAT(type, 0), type == t_instance ? NOTE_HAS_CLASS : 0);
    for (uint32_t more = 1; more < MOST && type != t_instance; more++) {
      note_type(LISP_WHAT(type, more), 0);
      note_type(LISP_WHAT(type, more) | LISP_NOT_SIMPLE, 0);
    }
  }
}
