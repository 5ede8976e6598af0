/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_notes.c -- which files code is from, for an image.
 *
 * A program that is killed cannot be asked what it has loaded.  So the first
 * function that is met in a file tells of it, before anything is counted that
 * has the function on its chain.
 */
#include "code/code_objects.h"

#include <limits.h>
#include <string.h>

#include "base/digits.h"
#include "image/image.h"
#include "image/signals.h"
#include "image/spin_lock.h"

static struct code_objects noted;
static struct spin_lock lock;

void
code_notes_forked(void)
{
  lock.holder = 0;
}

/* Notes the end of a file's code, its build id and path.  Under the lock. */
static void
note_object(const struct code_object *o, enum image_note_kind kind)
{
  static char text[PATH_MAX + 2 * BUILD_ID_BYTES + 32];
  char *to = write_digits(text, o->end, 16);
  *to++ = ' ';
  for (size_t i = 0; i < o->build_id_size; i++) {
    to = write_digits(to, o->build_id[i] >> 4, 16);
    to = write_digits(to, o->build_id[i] & 15, 16);
  }
  *to++ = ' ';
  if (o->path != NULL) /* there was memory for it */
    to = stpncpy(to, o->path, PATH_MAX);
  *to = '\0';
  image_note(kind, o->number, o->start, o->file_offset, text);
}

/* Notes the file that the address is in, if any, and first of all the
 * program. No handler of a signal may jump away and leave a part of it. */
static void
note_file(uintptr_t address)
{
  struct signals_held signals;
  signals_hold(&signals);
  spin_lock(&lock);
  size_t known = noted.count;
  code_objects_add(&noted, address);
  for (; known < noted.count; known++)
    note_object(&noted.objects[known], NOTE_MODULE);
  spin_unlock(&lock);
  signals_let_go(&signals);
}

void
code_objects_note(uintptr_t address)
{
  if (spin_holds(&lock))
    return;
  spin_lock(&lock);
  const bool known = code_objects_find(&noted, address) != NULL;
  spin_unlock(&lock);
  if (!known)
    note_file(address);
}

void
code_objects_abandon(void)
{
  spin_abandon(&lock);
}

/* Its addresses will be those of another file: the last one takes its place,
 * but the first is the program. */
void
code_objects_note_retired(const struct code_object *retired)
{
  struct signals_held signals;
  signals_hold(&signals);
  spin_lock(&lock);
  note_object(retired, NOTE_RETIRED);
  for (size_t i = 1; i < noted.count; i++)
    if (noted.objects[i].start == retired->start) {
      noted.objects[i] = noted.objects[--noted.count];
      break;
    }
  spin_unlock(&lock);
  signals_let_go(&signals);
}
