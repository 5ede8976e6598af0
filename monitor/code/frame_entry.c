/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.c -- has the compiler's unwinder find the entry of a function
 * (FDE), which takes no lock for that; reads it with the common one (CIE)
 * that it refers to, which says how addresses are written.
 *
 * The format is that of the Linux Standard Base (Exception Frames).  Nothing
 * is read beyond the end of an entry. */
#include "code/frame_entry.h"

#include <dwarf.h>

/* ---- cursors ---- */

const uint8_t *
cursor_take(struct cursor *c, size_t n)
{
  const uint8_t *bytes = c->at;
  if (c->bad || (size_t)(c->end - c->at) < n) {
    c->bad = true;
    return NULL;
  }
  c->at += n;
  return bytes;
}

uint64_t
cursor_number(struct cursor *c, size_t n)
{
  const uint8_t *bytes = cursor_take(c, n);
  uint64_t value = 0;
  for (size_t i = 0; bytes != NULL && i < n; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

uint64_t
cursor_leb(struct cursor *c, bool has_sign)
{
  uint64_t value = 0;
  unsigned bits = 0;
  const uint8_t *byte;
  do {
    byte = cursor_take(c, 1);
    if (byte == NULL)
      return 0;
    if (bits < 64)
      value |= (uint64_t)(*byte & 0x7F) << bits;
    bits += 7;
  } while ((*byte & 0x80) != 0);
  if (has_sign && bits < 64 && (*byte & 0x40) != 0)
    value |= ~UINT64_C(0) << bits;
  return value;
}

uint64_t
cursor_pointer(struct cursor *c, unsigned encoding)
{
  static const uint8_t sizes[] = {[DW_EH_PE_absptr] = 8,
                                  [DW_EH_PE_udata2] = 2,
                                  [DW_EH_PE_udata4] = 4,
                                  [DW_EH_PE_udata8] = 8};
  const unsigned format = encoding & 7;
  const uintptr_t place = (uintptr_t)c->at;
  uint64_t value, sign;
  if (format >= sizeof sizes || sizes[format] == 0) {
    c->bad = true;
    return 0;
  }
  value = cursor_number(c, sizes[format]);
  sign = UINT64_C(1) << (8 * sizes[format] - 1);
  if ((encoding & DW_EH_PE_signed) != 0)
    value = (value ^ sign) - sign;
  return (encoding & 0x70) == DW_EH_PE_pcrel ? value + place : value;
}

/* ---- entries ---- */

/* Returns a cursor for the entry at `at', from behind its length up to its
 * end. */
static struct cursor
open_entry(const uint8_t *at)
{
  struct cursor c = {.at = at, .end = at + 12};
  uint64_t size = cursor_number(&c, 4);
  if (size == UINT32_MAX)
    size = cursor_number(&c, 8);
  c.end = c.at + size;
  return c;
}

/* Reads the data that the letters of an augmentation after `z' announce. */
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
