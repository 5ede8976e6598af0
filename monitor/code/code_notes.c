/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_notes.c -- which files code is from, for an image.
 *
 * A program that is killed cannot be asked what it has loaded.  So the first
 * function that is met in a file tells of it, before anything is counted that
 * has the function on its chain.
 */
#include "code/code_objects.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "image/image.h"
#include "image/spin_lock.h"

static struct code_objects noted;
static size_t last; /* of them, where the last address was */
static struct spin_lock lock;

static void
note_object(const struct code_object *o, enum image_note_kind kind)
{
  char text[PATH_MAX + 2 * BUILD_ID_BYTES + 32];
  int n = snprintf(text, sizeof text, "%" PRIxPTR " ", o->end);
  for (size_t i = 0; i < o->build_id_size; i++)
    n += snprintf(text + n, 3, "%02x", o->build_id[i]);
  snprintf(text + n, sizeof text - (size_t)n, " %s", o->path);
  image_note(kind, o->number, o->start, o->file_offset, text);
}

/* The program comes first, even where the address is in no file. */
static void
find_or_note(uintptr_t address)
{
  const struct code_object *found = code_objects_find(&noted, address);
  size_t known = noted.count;
  if (found == NULL)
    code_objects_add(&noted, address);
  else
    last = (size_t)(found - noted.objects);
  for (; known < noted.count; known++)
    note_object(&noted.objects[known], NOTE_MODULE);
}

/* For each new record of a tree. */
void
code_objects_note(uintptr_t address)
{
  if (spin_holds(&lock))
    return;
  spin_lock(&lock);
  if (last >= noted.count || address < noted.objects[last].start ||
      address >= noted.objects[last].end)
    find_or_note(address);
  spin_unlock(&lock);
}

/* Its addresses will be those of another file: the last one takes its place,
 * but the first is the program. */
void
code_objects_note_retired(const struct code_object *retired)
{
  note_object(retired, NOTE_RETIRED);
  spin_lock(&lock);
  for (size_t i = 1; i < noted.count; i++)
    if (noted.objects[i].start == retired->start) {
      noted.objects[i] = noted.objects[--noted.count];
      break;
    }
  spin_unlock(&lock);
}
