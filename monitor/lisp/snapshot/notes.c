/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.c -- what is known of the runtime when the monitor is opened.
 */
#include "lisp/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>

#include <ecl/ecl.h>

#include "image/image.h"
#include "lisp/names/classify.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/lisp_printer.h"

_Static_assert(NOTE_TYPE_BITS(0xFFFF | ECL_ALLOCATED_NOT_SIMPLE) ==
                   (0xFFFF | ECL_ALLOCATED_NOT_SIMPLE),
               "what names of types depend on");

static void
note_type(uint32_t what)
{
  image_note(NOTE_TYPE, NOTE_TYPE_BITS(what), classify_category(what), 0,
             classify_type_name(what));
}

/* All types that have a name of their own. */
static void
note_types(void)
{
  for (uint32_t type = 0; type <= t_end; type++)
    for (uint32_t kind = 0; kind <= 0xFF; kind++) {
      const uint32_t what = type | kind << 8;
      if (kind == 0 || classify_type_name(what) != classify_type_name(type))
        note_type(what);
      if (classify_type_name(what | ECL_ALLOCATED_NOT_SIMPLE) !=
          classify_type_name(what))
        note_type(what | ECL_ALLOCATED_NOT_SIMPLE);
    }
}

bool
note_runtime(void)
{
  char program[300];
  char *const version =
      lisp_printer_copy(cl_lisp_implementation_version(), NAMED_THREAD);
  if (version == NULL || image_keep_notes() != 0) {
    free(version);
    return false;
  }
  snprintf(program, sizeof program, "ECL %s", version);
  free(version);
  image_note(NOTE_PROGRAM, 0, 0, 0, program);
  image_note(NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
  note_types();
  return true;
}
