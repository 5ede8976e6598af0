/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.c -- finds the entry of a function (FDE) in the table that
 * linkers put before the section .eh_frame (.eh_frame_hdr), which is sorted
 * by address; reads it with the common one (CIE) that it refers to, which
 * says how addresses are written.  The dynamic linker says without a lock
 * which object an address is in.
 *
 * The format is that of the Linux Standard Base (Exception Frames).  Nothing
 * is read beyond the end of an entry.
 */
#include "code/frame_entry.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <string.h>

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

/* What the header's table looks like for all linkers: a pointer to the
 * section and the number of entries as four bytes, entries as two times four
 * signed bytes from where the header is. */
static const uint8_t header_start[] = { 1, 0x1b, 0x03, 0x3b };

struct header {
  uint8_t start[4];
  int32_t section;
  uint32_t count;
  struct {
    int32_t function, entry; /* from the header */
  } table[];
};

bool
frame_entry_find(uintptr_t ip, struct frame_entry *e)
{
  struct dl_find_object object;
  const struct header *header;
  uintptr_t base;
  size_t low = 0, high;
  if (_dl_find_object((void *)ip, &object) != 0 ||
      object.dlfo_eh_frame == NULL)
    return false;
  header = object.dlfo_eh_frame;
  base = (uintptr_t)header;
  if (memcmp(header->start, header_start, sizeof header_start) != 0)
    return false;
  high = header->count;
  while (low < high) { /* the last that begins at or before ip */
    const size_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)header->table[middle].function <= ip)
      low = middle + 1;
    else
      high = middle;
  }
  return low != 0 &&
         read_entry(e, (const uint8_t *)header +
                           header->table[low - 1].entry) &&
         ip >= e->start && ip - e->start < e->size;
}
