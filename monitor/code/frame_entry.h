/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.h -- the call-frame information of one function: what its entry
 * says, and the one that is common to it and others.
 *
 * It consists of numbers and addresses in the forms of DWARF 5, section 7.6,
 * and of the Linux Standard Base (DWARF Extensions).  The reader of a cursor
 * looks at the end whether it is `bad'.
 *
 * No memory, no locks: runs inside the hook. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
  const uint8_t *at, *end;
  bool bad; /* something was beyond the end or in a form that is not known;
               what was read is worth nothing */
};

/* Returns the next `n' bytes, in place; NULL, from then on, if there are
 * fewer. */
const uint8_t *cursor_take(struct cursor *c, size_t n);

/* Reads a little-endian number of `n' bytes, at most 8. */
uint64_t cursor_number(struct cursor *c, size_t n);

/* Reads a number in LEB128: seven bits a byte, the lowest first.  With
 * `has_sign' the last bit is the sign.  Bits beyond 64 are dropped. */
uint64_t cursor_leb(struct cursor *c, bool has_sign);

/* Reads an unsigned number in LEB128; most are below 128. */
static inline uint64_t
cursor_uleb(struct cursor *c)
{
  return c->at < c->end && *c->at < 0x80 ? *c->at++ : cursor_leb(c, false);
}

/* Reads an address in the form `encoding' (DW_EH_PE_...): absolute or
 * relative to its own place, of 2, 4 or 8 bytes. */
uint64_t cursor_pointer(struct cursor *c, unsigned encoding);

struct frame_entry {
  uintptr_t start;
  size_t size;
  struct cursor program, common_program; /* instructions; common ones first */
  unsigned encoding;                     /* of addresses */
  bool augmented; /* functions have augmentation data */
  bool signal;    /* the frames are those of signal handlers */
  uint64_t code_factor, return_register;
  int64_t data_factor;
};

/* Finds the entry of the function that `ip' is in.  Returns false if there is
 * none, or it cannot be read. */
bool frame_entry_find(uintptr_t ip, struct frame_entry *e);
