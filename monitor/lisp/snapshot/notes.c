/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.c -- what the numbers in figures stand for: functions, types, classes,
 * threads, files of code.
 */
#include "lisp/snapshot/snapshot.h"

#include <stdio.h>

#include <ecl/ecl.h>

#include "lisp/names/classify.h"
#include "lisp/names/code_functions.h"
#include "lisp/names/float_makers.h"
#include "lisp/names/kept_objects.h"
#include "lisp/threads/threads.h"

_Static_assert(NOTE_TYPE_BITS(0xFFFF | ECL_ALLOCATED_NOT_SIMPLE) ==
                   (0xFFFF | ECL_ALLOCATED_NOT_SIMPLE),
               "what names of types depend on");

static void
note_program(struct note_list *notes)
{
  char program[300];
  snprintf(program, sizeof program, "ECL %s", monitor.runtime_version);
  note_add(notes, NOTE_PROGRAM, 0, 0, 0, program);
  note_add(notes, NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
}

static void
note_type(struct note_list *notes, uint32_t what)
{
  note_add(notes, NOTE_TYPE, NOTE_TYPE_BITS(what), classify_category(what), 0,
           classify_type_name(what));
}

/* All types that have a name of their own. */
static void
note_types(struct note_list *notes)
{
  for (uint32_t type = 0; type <= t_end; type++)
    for (uint32_t kind = 0; kind <= 0xFF; kind++) {
      const uint32_t what = type | kind << 8;
      if (kind == 0 || classify_type_name(what) != classify_type_name(type))
        note_type(notes, what);
      if (classify_type_name(what | ECL_ALLOCATED_NOT_SIMPLE) !=
          classify_type_name(what))
        note_type(notes, what | ECL_ALLOCATED_NOT_SIMPLE);
    }
}

/* The image of the process is told of a file by its first function. */
static void
note_files(struct note_list *notes)
{
  if (notes == NULL) {
    code_objects_note_anew();
    return;
  }
  for (size_t i = 0; i < monitor.code.count; i++)
    code_object_note(notes, &monitor.code.objects[i], NOTE_MODULE);
  for (size_t i = 0; i < code_objects_unloaded.count; i++)
    code_object_note(notes, &code_objects_unloaded.objects[i], NOTE_RETIRED);
}

void
note_all(struct note_list *notes, const uint64_t *used)
{
  note_program(notes);
  note_types(notes);
  note_files(notes);
  float_makers_note(notes, used);
  code_functions_note(notes, used);
  kept_objects_note(notes);
  threads_note_labels(notes);
}
