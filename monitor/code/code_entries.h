/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_entries.h -- where the functions of one shared object begin: a sorted
 * array of entries.
 *
 * An entry without a function stands behind each gap.  Under the monitor's
 * lock, not inside the hook.
 */
#ifndef MPROF_CODE_ENTRIES_H
#define MPROF_CODE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code_index.h"

/* From `start' to the next entry is this function's code. */
struct code_entry {
  uintptr_t start;
  uintptr_t word;         /* the instruction that sets it; 0: none */
  uint32_t function;
  uint16_t word_at;       /* so far below the frame pointer is its frame word;
                             0: it has none */
  unsigned char kind;     /* enum call_kind */
};

struct code_module {
  uintptr_t base, start, end;
  struct code_entry *entries; /* by code_entries_compare */
  size_t count, room;
  enum call_kind kind;    /* of what nothing more is known of */
  bool runtime;
  size_t tables;          /* tables of Lisp names that it has */
  bool seen;              /* still loaded */
  char *path;
  struct code_module *next;
};

/* By address; where two begin together, one that has a function first. */
int code_entries_compare(const void *a, const void *b);

/* The entry that begins at `address', or NULL. */
struct code_entry *code_entries_at(const struct code_module *m,
                                   uintptr_t address);

/* The last of `count' sorted entries that begins at or before `address', or
 * NULL.  May run inside the hook. */
const struct code_entry *code_entries_before(const struct code_entry *entries,
                                             size_t count, uintptr_t address);

/* Append an entry; the order is then the caller's to mend.  False when memory
 * ran out. */
bool code_entries_add(struct code_module *m, uintptr_t start,
                      uint32_t function);

#endif
