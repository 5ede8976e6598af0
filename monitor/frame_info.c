/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_info.c -- read the call-frame information of a whole section.
 *
 * The section is a sequence of entries: common ones (CIE), which say how
 * pointers are written, and one for each function (FDE), with a little
 * program that says for every instruction where the caller's frame is.  Of
 * these programs only one thing is asked: do they ever compute the frame from
 * the frame pointer register.  A function that realigns its stack computes it
 * by an expression; the frame pointer is not enough there, and it counts as
 * one without.
 *
 * The format is that of the Linux Standard Base (Exception Frames) and of
 * DWARF 5, section 6.4.  All reads are checked against the end.
 */
#include "frame_info.h"

#include <string.h>

#include "arch/unwind.h"

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

/* Instructions of the programs, DW_CFA_... */
enum {
  CFA_SET_LOC = 0x01,
  CFA_ADVANCE_LOC1 = 0x02,
  CFA_ADVANCE_LOC2 = 0x03,
  CFA_ADVANCE_LOC4 = 0x04,
  CFA_OFFSET_EXTENDED = 0x05,
  CFA_RESTORE_EXTENDED = 0x06,
  CFA_UNDEFINED = 0x07,
  CFA_SAME_VALUE = 0x08,
  CFA_REGISTER = 0x09,
  CFA_REMEMBER_STATE = 0x0A,
  CFA_RESTORE_STATE = 0x0B,
  CFA_DEF_CFA = 0x0C,
  CFA_DEF_CFA_REGISTER = 0x0D,
  CFA_DEF_CFA_OFFSET = 0x0E,
  CFA_DEF_CFA_EXPRESSION = 0x0F,
  CFA_EXPRESSION = 0x10,
  CFA_OFFSET_EXTENDED_SF = 0x11,
  CFA_DEF_CFA_SF = 0x12,
  CFA_DEF_CFA_OFFSET_SF = 0x13,
  CFA_VAL_OFFSET = 0x14,
  CFA_VAL_OFFSET_SF = 0x15,
  CFA_VAL_EXPRESSION = 0x16,
  CFA_GNU_ARGS_SIZE = 0x2E,
  CFA_ADVANCE_LOC = 0x40, /* the upper two bits; an operand in the lower */
  CFA_OFFSET = 0x80,
  CFA_RESTORE = 0xC0
};

struct cursor {
  const uint8_t *at, *end;
  bool bad; /* something lay beyond the end */
};

static const uint8_t *
take(struct cursor *c, size_t n)
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
static uint64_t
take_number(struct cursor *c, size_t n)
{
  const uint8_t *bytes = take(c, n);
  uint64_t value = 0;
  for (size_t i = 0; bytes != NULL && i < n; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

/* A number of variable length; signed and unsigned ones end alike, and no
 * signed one is looked at. */
static uint64_t
take_leb128(struct cursor *c)
{
  uint64_t value = 0;
  unsigned shift = 0;
  for (;;) {
    const uint8_t *byte = take(c, 1);
    if (byte == NULL)
      return 0;
    if (shift < 64)
      value |= (uint64_t)(*byte & 0x7F) << shift;
    shift += 7;
    if ((*byte & 0x80) == 0)
      return value;
  }
}

static uint64_t
take_pointer(struct cursor *c, unsigned encoding,
             const struct frame_section *section)
{
  uintptr_t place = section->address + (uintptr_t)(c->at - section->bytes);
  uint64_t value;
  switch (encoding & ENCODED_FORMAT) {
  case ENCODED_UDATA2:
    value = take_number(c, 2);
    break;
  case ENCODED_SDATA2:
    value = (uint64_t)(int16_t)take_number(c, 2);
    break;
  case ENCODED_UDATA4:
    value = take_number(c, 4);
    break;
  case ENCODED_SDATA4:
    value = (uint64_t)(int32_t)take_number(c, 4);
    break;
  case ENCODED_ABSOLUTE:
  case ENCODED_UDATA8:
  case ENCODED_SDATA8:
    value = take_number(c, 8);
    break;
  default:
    c->bad = true;
    return 0;
  }
  return (encoding & ENCODED_BASE) == ENCODED_RELATIVE ? value + place
                                                       : value;
}

/* What a CIE says that matters here. */
struct common {
  unsigned encoding; /* of addresses */
  bool augmented;    /* functions have augmentation data, with its length */
  struct cursor program;
};

/* `c' is behind the entry's identifier. */
static bool
read_common(struct cursor c, const struct frame_section *section,
            struct common *result)
{
  uint64_t version = take_number(&c, 1);
  const char *augmentation = (const char *)c.at;
  size_t room = (size_t)(c.end - c.at);
  size_t length = c.bad ? 0 : strnlen(augmentation, room);
  if (c.bad || take(&c, length + 1) == NULL)
    return false;
  take_leb128(&c); /* factors of code and data offsets */
  take_leb128(&c);
  if (version == 1)
    take(&c, 1); /* the register of the return address */
  else
    take_leb128(&c);
  result->encoding = ENCODED_ABSOLUTE;
  result->augmented = augmentation[0] == 'z';
  if (result->augmented) {
    uint64_t size = take_leb128(&c);
    struct cursor data = c;
    if (take(&c, size) == NULL)
      return false;
    for (const char *a = augmentation + 1; *a != '\0' && !data.bad; a++) {
      if (*a == 'R') {
        result->encoding = (unsigned)take_number(&data, 1);
      } else if (*a == 'L') {
        take(&data, 1);
      } else if (*a == 'P') {
        unsigned encoding = (unsigned)take_number(&data, 1);
        take_pointer(&data, encoding, section);
      } else if (*a != 'S' && *a != 'B') {
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

/* Does the program ever compute the frame from the frame pointer? */
static bool
uses_frame_pointer(struct cursor c, unsigned encoding,
                   const struct frame_section *section)
{
  while (c.at < c.end && !c.bad) {
    unsigned op = (unsigned)take_number(&c, 1);
    if ((op & 0xC0) == CFA_ADVANCE_LOC || (op & 0xC0) == CFA_RESTORE)
      continue;
    if ((op & 0xC0) == CFA_OFFSET) {
      take_leb128(&c);
      continue;
    }
    switch (op) {
    case CFA_DEF_CFA:
    case CFA_DEF_CFA_SF:
    case CFA_DEF_CFA_REGISTER:
      if (take_leb128(&c) == ARCH_UNWIND_FRAME_POINTER)
        return !c.bad;
      if (op != CFA_DEF_CFA_REGISTER)
        take_leb128(&c);
      break;
    case CFA_SET_LOC:
      take_pointer(&c, encoding, section);
      break;
    case CFA_ADVANCE_LOC1:
      take(&c, 1);
      break;
    case CFA_ADVANCE_LOC2:
      take(&c, 2);
      break;
    case CFA_ADVANCE_LOC4:
      take(&c, 4);
      break;
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
    case CFA_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
      take_leb128(&c);
      take_leb128(&c);
      break;
    case CFA_RESTORE_EXTENDED:
    case CFA_UNDEFINED:
    case CFA_SAME_VALUE:
    case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF:
    case CFA_GNU_ARGS_SIZE:
      take_leb128(&c);
      break;
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
      take_leb128(&c);
      take(&c, take_leb128(&c));
      break;
    case CFA_DEF_CFA_EXPRESSION:
      take(&c, take_leb128(&c));
      break;
    case 0: /* nothing: padding */
    case CFA_REMEMBER_STATE:
    case CFA_RESTORE_STATE:
      break;
    default:
      return false;
    }
  }
  return false;
}

bool
frame_info_each(const struct frame_section *section,
                bool (*found)(void *, const struct frame_function *),
                void *closure)
{
  struct cursor all = {.at = section->bytes,
                       .end = section->bytes + section->size};
  while (all.at < all.end) {
    struct cursor entry, other;
    struct common common;
    struct frame_function f;
    const uint8_t *place;
    uint64_t size = take_number(&all, 4), back;
    if (size == 0 && !all.bad)
      return true; /* the end */
    if (size == UINT32_MAX)
      size = take_number(&all, 8);
    entry = all;
    if (take(&all, size) == NULL)
      return false;
    entry.end = all.at;
    place = entry.at;
    back = take_number(&entry, 4);
    if (entry.bad)
      return false;
    if (back == 0)
      continue; /* a common entry */
    if (back > (uint64_t)(place - section->bytes))
      return false;
    other = (struct cursor){.at = place - back, .end = place};
    size = take_number(&other, 4);
    if (size == UINT32_MAX)
      size = take_number(&other, 8);
    if (other.bad || size > (uint64_t)(other.end - other.at))
      return false;
    other.end = other.at + size;
    if (take_number(&other, 4) != 0 || !read_common(other, section, &common))
      return false;
    f.start = take_pointer(&entry, common.encoding, section);
    f.size = take_pointer(&entry, common.encoding & ENCODED_FORMAT, section);
    if (common.augmented)
      take(&entry, take_leb128(&entry));
    if (entry.bad)
      return false;
    f.frame_pointer =
        uses_frame_pointer(common.program, common.encoding, section) ||
        uses_frame_pointer(entry, common.encoding, section);
    if (f.start != 0 && !found(closure, &f))
      return true;
  }
  return !all.bad;
}
