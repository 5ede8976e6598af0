/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_entry.h -- the call-frame information of one function: what its entry
 * says, and the one that is common to it and others.
 *
 * No memory, no locks: runs inside the hook.
 */
#ifndef MPROF_FRAME_ENTRY_H
#define MPROF_FRAME_ENTRY_H

#include "code/cursor.h"

struct frame_entry {
  uintptr_t start;
  size_t size;
  struct cursor program, common_program; /* the common one is run first */
  unsigned encoding; /* of addresses */
  bool augmented;    /* functions have augmentation data */
  bool signal;       /* the frames are those of signal handlers */
  uint64_t code_factor, return_register;
  int64_t data_factor;
};

/* The entry of the function that `ip' is in; false when there is none that
 * can be read. */
bool frame_entry_find(uintptr_t ip, struct frame_entry *e);

#endif
