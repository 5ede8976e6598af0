/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.c -- has the compiler's unwinder find the entry of a function
 * (FDE), which takes no lock for that; reads it with the common one (CIE)
 * that it refers to, which says how addresses are written.
 *
 * The format is that of the Linux Standard Base (Exception Frames).  Nothing
 * is read beyond the end of an entry.
 */
#include "code/frame_entry.h"

#include <dwarf.h>

/* Behind the length of the entry at `at', with its end. */
static struct cursor
open_entry(const uint8_t *at)
{
  struct cursor c = { .at = at, .end = at + 12 };
  uint64_t size = cursor_number(&c, 4);
  if (size == UINT32_MAX)
    size = cursor_number(&c, 8);
  c.end = c.at + size;
  return c;
}

/* The data that the letters of an augmentation after `z' announce. */
static void
read_augmentation(struct frame_entry *e, const char *letters, struct cursor c)
{
  for (; *letters != '\0'; letters++)
    if (*letters == 'R')
      e->encoding = (unsigned)cursor_number(&c, 1);
    else if (*letters == 'L')
      cursor_take(&c, 1);
    else if (*letters == 'P')
      cursor_pointer(&c, (unsigned)cursor_number(&c, 1));
    else if (*letters == 'S')
      e->signal = true;
    else if (*letters != 'B')
      return; /* not known: what comes after it is not, either */
}

static bool
read_common(struct frame_entry *e, struct cursor c)
{
  const bool is_common = cursor_number(&c, 4) == 0;
  const uint64_t version = cursor_number(&c, 1);
  const char *augmentation = (const char *)c.at;
  while (cursor_number(&c, 1) != 0)
    ;
  e->code_factor = cursor_uleb(&c);
  e->data_factor = (int64_t)cursor_leb(&c, true);
  e->return_register = version == 1 ? cursor_number(&c, 1) : cursor_uleb(&c);
  e->signal = false;
  e->encoding = DW_EH_PE_absptr;
  if (c.bad)
    return false;
  e->augmented = augmentation[0] == 'z';
  if (e->augmented) {
    const uint64_t size = cursor_uleb(&c);
    read_augmentation(e, augmentation + 1, c);
    cursor_take(&c, size);
  } else if (augmentation[0] != '\0') {
    return false;
  }
  e->common_program = c;
  return is_common && !c.bad;
}

static bool
read_entry(struct frame_entry *e, const uint8_t *at)
{
  struct cursor c = open_entry(at);
  const uint8_t *place = c.at;
  const uint64_t back = cursor_number(&c, 4);
  if (back == 0 || !read_common(e, open_entry(place - back)))
    return false;
  e->start = cursor_pointer(&c, e->encoding);
  e->size = cursor_pointer(&c, e->encoding & 0x0F);
  if (e->augmented)
    cursor_take(&c, cursor_uleb(&c));
  e->program = c;
  return !c.bad;
}

/* Of the compiler's unwinder. */
struct dwarf_eh_bases {
  void *text, *data, *function;
};
extern const void *_Unwind_Find_FDE(void *ip, struct dwarf_eh_bases *bases);

bool
frame_entry_find(uintptr_t ip, struct frame_entry *e)
{
  struct dwarf_eh_bases bases;
  const uint8_t *const entry = _Unwind_Find_FDE((void *)ip, &bases);
  return entry != NULL && read_entry(e, entry) && ip >= e->start &&
         ip - e->start < e->size;
}
