/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.h -- the entries of a section .eh_frame: common ones (CIE),
 * which say how pointers are written, and one for each function (FDE).  Both
 * hold little programs, which are read with the same cursor.
 *
 * The format is that of the Linux Standard Base (Exception Frames) and of
 * DWARF 5, section 6.4.  All reads are checked against the end.  Takes no
 * memory and no lock: may run inside the hook.
 */
#ifndef MPROF_FRAME_ENTRY_H
#define MPROF_FRAME_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
  CFA_RESTORE = 0xC0,
  CFA_OPERAND = 0x3F
};

/* A section in memory, and the address that it has when it is loaded
 * (pointers in it are relative to that). */
struct frame_section {
  const uint8_t *bytes;
  size_t size;
  uintptr_t address;
};

struct frame_cursor {
  const uint8_t *at, *end;
  bool bad; /* something lay beyond the end */
};

/* The next `n' bytes, or NULL. */
const uint8_t *frame_take(struct frame_cursor *c, size_t n);

/* A little-endian number of `n' bytes; one of variable length, without and
 * with a sign; an address, written as `encoding' (DW_EH_PE_...) says. */
uint64_t frame_take_number(struct frame_cursor *c, size_t n);
uint64_t frame_take_uleb(struct frame_cursor *c);
int64_t frame_take_sleb(struct frame_cursor *c);
uint64_t frame_take_pointer(struct frame_cursor *c, unsigned encoding,
                            const struct frame_section *section);

/* What a common entry says. */
struct frame_common {
  unsigned encoding;        /* of addresses */
  bool augmented;           /* functions have augmentation data */
  bool signal;              /* the frames are those of signal handlers */
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t return_register;
  struct frame_cursor program;
};

/* The entry of one function. */
struct frame_entry {
  uintptr_t start;
  size_t size;
  struct frame_common common;
  struct frame_cursor program;
};

enum frame_entry_kind {
  FRAME_ENTRY_FUNCTION,
  FRAME_ENTRY_COMMON,
  FRAME_ENTRY_LAST, /* there are no more */
  FRAME_ENTRY_BAD
};

/* Read the entry at `all->at', and go to the one behind it. */
enum frame_entry_kind frame_entry_next(struct frame_cursor *all,
                                       const struct frame_section *section,
                                       struct frame_entry *entry);

#endif
