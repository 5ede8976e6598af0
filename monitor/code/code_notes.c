/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_notes.c -- which files code is from, for an image, and which of them
 * were unloaded.
 *
 * A program that is killed cannot be asked what it has loaded.  So the first
 * function that is met in a file tells of it, before anything is counted that
 * has the function on its chain. */
#include <string.h>

#include "base/digits.h"
#include "code/code_objects.h"
#include "code/frame_rule.h"
#include "image/image.h"
#include "image/signals.h"

/* Notes the end of a file's code, its build id and path.  Under the lock,
 * with signals held: no handler may jump away and leave a part of a note. */
static void
note(const struct code_object *o, enum image_note_kind kind)
{
  char *to = write_digits(code_objects.text, o->end, 16);
  *to++ = ' ';
  for (size_t i = 0; i < o->build_id_size; i++) {
    to = write_digits(to, o->build_id[i] >> 4, 16);
    to = write_digits(to, o->build_id[i] & 15, 16);
  }
  *to++ = ' ';
  *stpncpy(to, o->path, PATH_MAX) = '\0';
  image_note(kind, o->number, o->start, o->file_offset, code_objects.text);
}

/* Returns true if the file with the address in its code was noted. */
static bool
is_noted(uintptr_t address)
{
  const struct code_list *const loaded = &code_objects.loaded;
  for (const struct code_object *o = loaded->objects;
       o < loaded->objects + loaded->count; o++)
    if (address >= o->start && address < o->end)
      return o->is_noted;
  return false;
}

/* Notes the file that has the address, the program for 0, unless that was
 * done.  Under the lock. */
static void
note_file(uintptr_t address)
{
  struct code_list *const loaded = &code_objects.loaded;
  struct dl_phdr_info info;
  size_t i = 0;
  if (!code_file_find(address, &info))
    return;
  while (i < loaded->count && loaded->objects[i].base != info.dlpi_addr)
    i++;
  if (i == loaded->count)
    code_file_add(&info, 0);
  for (; i < loaded->count; i++)
    if (loaded->objects[i].base == info.dlpi_addr &&
        !loaded->objects[i].is_noted) {
      loaded->objects[i].is_noted = true;
      note(&loaded->objects[i], NOTE_MODULE);
    }
}

void
code_notes_add(uintptr_t address)
{
  struct signals_held signals;
  if (spin_holds(&code_objects.lock))
    return;
  spin_lock(&code_objects.lock);
  const bool noted = is_noted(address);
  spin_unlock(&code_objects.lock);
  if (noted)
    return;
  signals_hold(&signals);
  spin_lock(&code_objects.lock);
  code_objects.failed = false;
  note_file(0);
  note_file(address);
  spin_unlock(&code_objects.lock);
  signals_let_go(&signals);
}

/* ---- code that goes away ---- */

uint64_t
code_object_retired_site(void *object, uint64_t site)
{
  const struct code_object *o = object;
  if (site < o->start || site > o->end)
    return site;
  if (o->number == 0)
    return SITE_RETIRED;
  return SITE_RETIRED | (uint64_t)o->number << RETIRED_OFFSET_BITS |
         (site - o->start);
}

static bool
is_same(const struct code_object *a, const struct code_object *b)
{
  return a->start == b->start && a->end == b->end && a->base == b->base &&
         a->build_id_size == b->build_id_size &&
         memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
         strcmp(a->path, b->path) == 0;
}

/* Returns the number of GONE among the unloaded objects, to which it is added
 * if it is new; 0 without room. */
static uint32_t
number_unloaded(const struct code_object *gone)
{
  struct code_list *const unloaded = &code_objects.unloaded;
  struct code_object *o = NULL;
  for (size_t i = 0; i < unloaded->count; i++)
    if (is_same(&unloaded->objects[i], gone))
      return unloaded->objects[i].number;
  if (unloaded->count < CODE_OBJECTS)
    o = code_list_add(unloaded, gone);
  return o == NULL ? 0 : (o->number = (uint32_t)unloaded->count);
}

struct code_object
code_notes_retire(const struct code_object *gone,
                  struct function_numbers *numbers)
{
  struct code_object retired = *gone;
  struct signals_held signals;
  signals_hold(&signals);
  spin_lock(&code_objects.lock);
  retired.number = number_unloaded(gone);
  note(&retired, NOTE_RETIRED);
  spin_unlock(&code_objects.lock);
  signals_let_go(&signals);
  frame_rules_forget(gone->start, gone->end);
  function_numbers_forget(numbers, gone->start, gone->end);
  return retired;
}
