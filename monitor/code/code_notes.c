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

/* Locks the notes.  No handler of a signal may jump away and leave a part of
 * a note. */
static void
lock(struct signals_held *signals)
{
  signals_hold(signals);
  spin_lock(&code_notes.lock);
}

static void
unlock(struct signals_held *signals)
{
  spin_unlock(&code_notes.lock);
  signals_let_go(signals);
}

/* Notes the end of a file's code, its build id and path.  Under the lock. */
static void
note(const struct code_object *o, enum image_note_kind kind)
{
  char *to = write_digits(code_notes.text, o->end, 16);
  *to++ = ' ';
  for (size_t i = 0; i < o->build_id_size; i++) {
    to = write_digits(to, o->build_id[i] >> 4, 16);
    to = write_digits(to, o->build_id[i] & 15, 16);
  }
  *to++ = ' ';
  if (o->path != NULL) /* there was memory for it */
    to = stpncpy(to, o->path, PATH_MAX);
  *to = '\0';
  image_note(kind, o->number, o->start, o->file_offset, code_notes.text);
}

void
code_notes_add(uintptr_t address)
{
  struct code_objects *const noted = &code_notes.noted;
  struct signals_held signals;
  if (spin_holds(&code_notes.lock))
    return;
  spin_lock(&code_notes.lock);
  const bool known = code_objects_find(noted, address) != NULL;
  spin_unlock(&code_notes.lock);
  if (known)
    return;
  lock(&signals);
  size_t i = noted->count;
  code_objects_add(noted, address);
  for (; i < noted->count; i++)
    note(&noted->objects[i], NOTE_MODULE);
  unlock(&signals);
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

/* Returns its number among those that were unloaded, 0 without room. */
static uint32_t
number_unloaded(const struct code_object *gone)
{
  struct code_objects *const unloaded = &code_notes.unloaded;
  const struct code_object *o = NULL;
  for (size_t i = 0; i < unloaded->count; i++)
    if (is_same(&unloaded->objects[i], gone))
      return unloaded->objects[i].number;
  if (unloaded->count < CODE_OBJECTS)
    o = code_objects_copy(unloaded, gone);
  return o == NULL ? 0 : o->number;
}

/* Notes that the file GONE was unloaded, and forgets what is known by its
 * addresses, since another file may get them.  Returns the file with the
 * number that it keeps, or 0 without memory.  The first file noted is the
 * program, which stays. */
struct code_object
code_notes_retire(const struct code_object *gone,
                  struct function_numbers *numbers)
{
  struct code_objects *const noted = &code_notes.noted;
  struct code_object retired = *gone;
  struct signals_held signals;
  lock(&signals);
  retired.number = number_unloaded(gone);
  note(&retired, NOTE_RETIRED);
  for (size_t i = 1; i < noted->count; i++)
    if (noted->objects[i].start == retired.start) {
      noted->objects[i] = noted->objects[--noted->count];
      break;
    }
  unlock(&signals);
  frame_rules_forget(gone->start, gone->end);
  function_numbers_forget(numbers, gone->start, gone->end);
  return retired;
}
