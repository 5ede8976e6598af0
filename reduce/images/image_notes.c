/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Texts of notes stay where they are in the image, with a zero behind. */

#include "images/image_reader.h"

/* Adds NOTE, in the place of an earlier one on the same matter. */
static void
add_by_key(struct image_notes *notes, enum image_note_kind kind,
           struct note note)
{
  struct index_map *map = &notes->by_key[kind];
  const uint32_t place = index_map_find(map, note.key);
  if (place != INDEX_NONE) {
    notes->notes[place] = note;
  } else {
    index_map_add(map, note.key, (uint32_t)notes->count);
    ARRAY_PUSH(notes->notes, notes->count, notes->capacity, note);
  }
}

/* Text is END BUILDID PATH, END in hexadecimal digits. */
static void
add_module(struct image_notes *notes, enum image_note_kind kind,
           struct note note)
{
  char *rest = note.text;
  struct note_module m = {.start = note.value, .offset = note.more};
  m.end = strtoull(strsep(&rest, " "), NULL, 16);
  m.build_id = rest == NULL ? "" : strsep(&rest, " ");
  m.path = rest == NULL ? "" : rest;
  m.number = kind == NOTE_RETIRED ? note.key : 0;
  if (m.end > m.start && m.end <= INT64_MAX &&
      m.offset <= (uint64_t)INT64_MAX - m.end)
    ARRAY_ADD(notes, module, m);
}

/* TEXT is behind the record of the note, which is known by now: it moves over
 * the last byte of that, so that there is room for a zero. */
static void
add_note(struct image_notes *notes, const struct image_note *n, char *text)
{
  const enum image_note_kind kind = (enum image_note_kind)n->kind;
  const struct note note = {n->key, n->value, n->more, text - 1};
  memmove(note.text, text, n->text_bytes);
  note.text[n->text_bytes] = '\0';
  if (kind == NOTE_COMMENT)
    ARRAY_ADD(notes, comment, note.text);
  else if (kind == NOTE_MODULE || kind == NOTE_RETIRED)
    add_module(notes, kind, note);
  else
    add_by_key(notes, kind, note);
}

void
image_notes_read(struct image_notes *notes, const struct image *image)
{
  size_t length;
  char *bytes = image_array(image, IMAGE_NOTES, 0, &length);
  struct image_note note;
  uint64_t used = 0;
  *notes = (struct image_notes){0};
  if (length < sizeof used)
    return;
  memcpy(&used, bytes, sizeof used);
  const bool cut = used > length; /* the rest found no room */
  if (cut)
    used = length;
  for (uint64_t at = sizeof used; at + sizeof note <= used;
       at += (note.text_bytes + UINT64_C(7)) & ~UINT64_C(7)) {
    memcpy(&note, bytes + at, sizeof note);
    at += sizeof note;
    if (note.kind == 0 || note.kind >= NOTE_KINDS ||
        note.text_bytes > used - at) {
      if (!cut && (image->head.flags & IMAGE_INCOMPLETE) == 0)
        image_fault(image, MPROF_NO_OFFSET, "a note is invalid or cut short");
      return;
    }
    add_note(notes, &note, bytes + at);
  }
}

const struct note *
image_note_find(const struct image_notes *notes, enum image_note_kind kind,
                uint64_t key)
{
  uint32_t place = index_map_find(&notes->by_key[kind], key);
  return place == INDEX_NONE ? NULL : &notes->notes[place];
}

const char *
image_note_text(const struct image_notes *notes, enum image_note_kind kind,
                uint64_t key, const char *otherwise)
{
  const struct note *note = image_note_find(notes, kind, key);
  return note == NULL ? otherwise : note->text;
}

const struct note_module *
image_module(const struct image_notes *notes, uint64_t address, bool unloaded,
             uint64_t *offset)
{
  const uint64_t number = unloaded ? RETIRED_OBJECT(address) : 0;
  for (size_t i = notes->module_count; i-- > 0;) {
    const struct note_module *m = &notes->modules[i];
    *offset = unloaded ? RETIRED_OFFSET(address) : address - m->start;
    if (m->number == number &&
        (unloaded ? number != 0 : address - m->start < m->end - m->start))
      return m;
  }
  return NULL;
}
