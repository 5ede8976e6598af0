/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cursor.c -- nothing is read beyond the end.
 */
#include "code/cursor.h"

#include <dwarf.h>

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
  static const uint8_t sizes[] = { [DW_EH_PE_absptr] = 8,
                                   [DW_EH_PE_udata2] = 2,
                                   [DW_EH_PE_udata4] = 4,
                                   [DW_EH_PE_udata8] = 8 };
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
