/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mapped.c -- the figures of a Lisp program in an image (tree/image.h), and
 * what is in it beside them: what numbers stand for.
 *
 * Names of compiled functions, files of code, threads and regions are noted
 * when their numbers are given.  So are names of classes and of byte-compiled
 * functions, but as the hook can print them; the thread that else would save
 * the figures prints them anew.
 */
#include "monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ecl/ecl.h>

#include "entry.h"

#include "names/boxes.h"
#include "names/classify.h"
#include "names/code_functions.h"
#include "names/kept_objects.h"
#include "threads/threads.h"
#include "tree/image.h"

_Static_assert(NOTE_TYPE_BITS(0xFFFF | ECL_ALLOCATED_NOT_SIMPLE) ==
                   (0xFFFF | ECL_ALLOCATED_NOT_SIMPLE),
               "what names of types depend on");

static void
note_type(uint32_t what)
{
  image_note(NOTE_TYPE, what, classify_category(what), 0,
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

/* And the allocators that show. */
static void
note_boxes(void)
{
  for (uint32_t what = 0; what <= 0xFFFF; what++)
    if (boxes_site(what) != 0)
      image_note(NOTE_ALLOCATOR, what,
                 code_function_of_site(boxes_site(what)), 0, "");
}

static void
note_all(void)
{
  char program[300];
  snprintf(program, sizeof program, "ECL %s", monitor.runtime_version);
  image_note(NOTE_PROGRAM, 0, 0, 0, program);
  image_note(NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
  note_types();
  code_objects_note_anew();
  code_functions_note();
  note_boxes();
  kept_objects_print_names(true);
  kept_objects_note(true);
  region_table_map(&monitor.regions);
}

int
mprof_monitor_map(const char *path)
{
  int status = monitor_enter(), error;
  if (status != MPROF_OK)
    return status;
  error = image_open(path, IMAGE_LISP, getpid(), false);
  if (error == 0) {
    note_all();
    error = image_opened();
  }
  if (error != 0)
    status = monitor_fail(error == ENOMEM ? MPROF_NO_MEMORY
                                          : MPROF_CANNOT_WRITE,
                          "cannot write '%s': %s", path,
                          strerrordesc_np(error));
  return monitor_leave(status);
}

int
mprof_monitor_unmap(int keep)
{
  const int status = monitor_enter();
  if (status != MPROF_OK)
    return status;
  image_close(keep != 0);
  return monitor_leave(MPROF_OK);
}

/* Gives back whether all that there is is in it. */
static bool
note_names(void)
{
  bool complete;
  if (monitor_enter() != MPROF_OK)
    return true;
  kept_objects_print_names(false);
  kept_objects_note(false);
  complete = !image_is_incomplete();
  monitor_leave(MPROF_OK);
  return complete;
}

int
mprof_monitor_autoname(void)
{
  bool complete = true;
  while (monitor_wait_to_save()) {
    const bool was_complete = complete;
    complete = note_names();
    if (was_complete && !complete)
      fprintf(stderr, "mprof: the mapped file is full; allocations counted "
                      "from now on are lost if the program is killed\n");
  }
  return MPROF_OK;
}
