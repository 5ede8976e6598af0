/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.c -- see frame_entry.h.
 */
#include "walk/frame_entry.h"

#include <string.h>

/* Encodings of pointers, DW_EH_PE_... */
enum {
  ENCODED_ABSOLUTE = 0x00,
  ENCODED_UDATA2 = 0x02,
  ENCODED_UDATA4 = 0x03,
  ENCODED_UDATA8 = 0x04,
  ENCODED_SDATA2 = 0x0A,
  ENCODED_SDATA4 = 0x0B,
  ENCODED_SDATA8 = 0x0C,
  ENCODED_FORMAT = 0x0F,
  ENCODED_RELATIVE = 0x10, /* to the place where the pointer is */
  ENCODED_BASE = 0x70
};

const uint8_t *
frame_take(struct frame_cursor *c, size_t n)
{
  const uint8_t *bytes = c->at;
  if (c->bad || (size_t)(c->end - c->at) < n) {
    c->bad = true;
    return NULL;
  }
  c->at += n;
  return bytes;
}

/* A little-endian number of `n' bytes. */
uint64_t
frame_take_number(struct frame_cursor *c, size_t n)
{
  const uint8_t *bytes = frame_take(c, n);
  uint64_t value = 0;
  for (size_t i = 0; bytes != NULL && i < n; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

/* A number in LEB128: seven bits a byte, the lowest first.  `*bits' becomes
 * how many there were; what is beyond 64 is dropped. */
static uint64_t
take_leb(struct frame_cursor *c, unsigned *bits)
{
  uint64_t value = 0;
  const uint8_t *byte;
  *bits = 0;
  do {
    byte = frame_take(c, 1);
    if (byte == NULL)
      return 0;
    if (*bits < 64)
      value |= (uint64_t)(*byte & 0x7F) << *bits;
    *bits += 7;
  } while ((*byte & 0x80) != 0);
  return value;
}

uint64_t
frame_take_uleb(struct frame_cursor *c)
{
  unsigned bits;
  return take_leb(c, &bits);
}

int64_t
frame_take_sleb(struct frame_cursor *c)
{
  unsigned bits;
  uint64_t value = take_leb(c, &bits);
  /* the last bit is the sign */
  if (!c->bad && bits < 64 && (value >> (bits - 1) & 1) != 0)
    value |= ~UINT64_C(0) << bits;
  return (int64_t)value;
}

uint64_t
frame_take_pointer(struct frame_cursor *c, unsigned encoding,
                   const struct frame_section *section)
{
  uintptr_t place = section->address + (uintptr_t)(c->at - section->bytes);
  uint64_t value;
  switch (encoding & ENCODED_FORMAT) {
  case ENCODED_UDATA2:
    value = frame_take_number(c, 2);
    break;
  case ENCODED_SDATA2:
    value = (uint64_t)(int16_t)frame_take_number(c, 2);
    break;
  case ENCODED_UDATA4:
    value = frame_take_number(c, 4);
    break;
  case ENCODED_SDATA4:
    value = (uint64_t)(int32_t)frame_take_number(c, 4);
    break;
  case ENCODED_ABSOLUTE:
  case ENCODED_UDATA8:
  case ENCODED_SDATA8:
    value = frame_take_number(c, 8);
    break;
  default:
    c->bad = true;
    return 0;
  }
  return (encoding & ENCODED_BASE) == ENCODED_RELATIVE ? value + place
                                                       : value;
}

/* `c' is behind the entry's identifier. */
static bool
read_common(struct frame_cursor c, const struct frame_section *section,
            struct frame_common *result)
{
  uint64_t version = frame_take_number(&c, 1);
  const char *augmentation = (const char *)c.at;
  size_t room = (size_t)(c.end - c.at);
  size_t length = c.bad ? 0 : strnlen(augmentation, room);
  if (c.bad || frame_take(&c, length + 1) == NULL)
    return false;
  result->code_factor = frame_take_uleb(&c);
  result->data_factor = frame_take_sleb(&c);
  result->return_register =
      version == 1 ? frame_take_number(&c, 1) : frame_take_uleb(&c);
  result->signal = false;
  result->encoding = ENCODED_ABSOLUTE;
  result->augmented = augmentation[0] == 'z';
  if (result->augmented) {
    uint64_t size = frame_take_uleb(&c);
    struct frame_cursor data = c;
    if (frame_take(&c, size) == NULL)
      return false;
    for (const char *a = augmentation + 1; *a != '\0' && !data.bad; a++) {
      if (*a == 'R') {
        result->encoding = (unsigned)frame_take_number(&data, 1);
      } else if (*a == 'L') {
        frame_take(&data, 1);
      } else if (*a == 'P') {
        unsigned encoding = (unsigned)frame_take_number(&data, 1);
        frame_take_pointer(&data, encoding, section);
      } else if (*a == 'S') {
        result->signal = true;
      } else if (*a != 'B') {
        break; /* not known: what comes after it is not, either */
      }
    }
    if (data.bad)
      return false;
  } else if (augmentation[0] != '\0') {
    return false;
  }
  result->program = c;
  return !c.bad;
}

enum frame_entry_kind
frame_entry_next(struct frame_cursor *all,
                 const struct frame_section *section,
                 struct frame_entry *f)
{
  struct frame_cursor entry, other;
  const uint8_t *place;
  uint64_t size = frame_take_number(all, 4), back;
  if (all->bad)
    return FRAME_ENTRY_BAD;
  if (size == 0)
    return FRAME_ENTRY_LAST;
  if (size == UINT32_MAX)
    size = frame_take_number(all, 8);
  entry = *all;
  if (frame_take(all, size) == NULL)
    return FRAME_ENTRY_BAD;
  entry.end = all->at;
  place = entry.at;
  back = frame_take_number(&entry, 4);
  if (entry.bad)
    return FRAME_ENTRY_BAD;
  if (back == 0)
    return FRAME_ENTRY_COMMON;
  if (back > (uint64_t)(place - section->bytes))
    return FRAME_ENTRY_BAD;
  other = (struct frame_cursor){.at = place - back, .end = place};
  size = frame_take_number(&other, 4);
  if (size == UINT32_MAX)
    size = frame_take_number(&other, 8);
  if (other.bad || size > (uint64_t)(other.end - other.at))
    return FRAME_ENTRY_BAD;
  other.end = other.at + size;
  if (frame_take_number(&other, 4) != 0 ||
      !read_common(other, section, &f->common))
    return FRAME_ENTRY_BAD;
  f->start = frame_take_pointer(&entry, f->common.encoding, section);
  f->size = frame_take_pointer(
      &entry, f->common.encoding & ENCODED_FORMAT, section);
  if (f->common.augmented)
    frame_take(&entry, frame_take_uleb(&entry));
  f->program = entry;
  return entry.bad ? FRAME_ENTRY_BAD : FRAME_ENTRY_FUNCTION;
}
