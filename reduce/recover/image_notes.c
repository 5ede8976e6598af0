/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Notes are copied, each with a zero behind its text. */

#include "recover/image_notes.h"

#include "base/array.h"

/* The place of a later note is put under the same key: places are in a table
 * of their own, since an index_map keeps the first. */
static bool
add_key(struct image_notes *notes, enum image_note_kind kind, uint64_t key)
{
  struct index_map *map = &notes->by_key[kind];
  uint32_t last = (uint32_t)(notes->count - 1);
  uint32_t first = index_map_find(map, key);
  if (first == INDEX_NONE)
    return index_map_add(map, key, last);
  struct note newest = notes->notes[last];
  notes->notes[last] = notes->notes[first];
  notes->notes[first] = newest;
  return true;
}

/* Text is END BUILDID PATH, END in hexadecimal digits. */
static bool
add_module(struct image_notes *notes, const struct note *note,
           enum image_note_kind kind)
{
  char *rest = note->text;
  struct note_module m = {.start = note->value, .offset = note->more};
  m.end = strtoull(strsep(&rest, " "), NULL, 16);
  m.build_id = rest == NULL ? "" : strsep(&rest, " ");
  m.path = rest == NULL ? "" : rest;
  m.number = kind == NOTE_RETIRED ? note->key : 0;
  return m.end <= m.start || m.end > INT64_MAX ||
         m.offset > (uint64_t)INT64_MAX - m.end ||
         ARRAY_PUSH(notes->modules, notes->module_count,
                    notes->module_capacity, m);
}

static bool
add_note(struct image_notes *notes, const struct image_note *n,
         const char *text)
{
  enum image_note_kind kind = (enum image_note_kind)n->kind;
  struct note note = {n->key, n->value, n->more,
                      strndup(text, n->text_bytes)};
  if (note.text == NULL ||
      !ARRAY_PUSH(notes->notes, notes->count, notes->capacity, note)) {
    free(note.text);
    return false;
  }
  if (kind == NOTE_COMMENT)
    return ARRAY_PUSH(notes->comments, notes->comment_count,
                      notes->comment_capacity, note.text);
  return kind == NOTE_MODULE || kind == NOTE_RETIRED
             ? add_module(notes, &note, kind)
             : add_key(notes, kind, note.key);
}

bool
image_notes_read(struct image_notes *notes, const struct image *image,
                 struct mprof_error *error)
{
  const struct image_array *array = image_array(image, IMAGE_NOTES, 0);
  struct image_note note;
  uint64_t used = 0;
  *notes = (struct image_notes){0};
  if (array == NULL)
    return true;
  memcpy(&used, array->bytes, sizeof used);
  const bool cut = used > array->length; /* the rest found no room */
  if (cut)
    used = array->length;
  for (uint64_t at = sizeof used; at + sizeof note <= used;) {
    memcpy(&note, array->bytes + at, sizeof note);
    at += sizeof note;
    if (note.kind == 0 || note.kind >= NOTE_KINDS ||
        note.text_bytes > used - at)
      return cut || (image->head.flags & IMAGE_INCOMPLETE) != 0 ||
             image_damaged(image, error, "a note is invalid or cut short");
    if (!add_note(notes, &note, array->bytes + at))
      return mprof_error_memory(error);
    at += (note.text_bytes + UINT64_C(7)) & ~UINT64_C(7);
  }
  return true;
}

void
image_notes_release(struct image_notes *notes)
{
  for (size_t i = 0; i < notes->count; i++)
    free(notes->notes[i].text);
  for (size_t i = 0; i < NOTE_KINDS; i++)
    index_map_release(&notes->by_key[i]);
  free(notes->notes);
  free(notes->modules);
  free(notes->comments);
  *notes = (struct image_notes){0};
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
image_module_at(const struct image_notes *notes, uint64_t address)
{
  for (size_t i = notes->module_count; i-- > 0;) {
    const struct note_module *m = &notes->modules[i];
    if (m->number == 0 && address >= m->start && address < m->end)
      return m;
  }
  return NULL;
}

const struct note_module *
image_module_unloaded(const struct image_notes *notes, uint64_t number)
{
  for (size_t i = notes->module_count; i-- > 0;)
    if (notes->modules[i].number == number && number != 0)
      return &notes->modules[i];
  return NULL;
}
