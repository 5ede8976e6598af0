/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which function of a file an address is in.
 *
 * Names are those of its symbol table, the whole one where the file or its
 * debug file has it, else the one for dynamic linking.  Where neither has a
 * function for an address, the call-frame information still says where the
 * function begins.
 *
 * Of several names for one place the one with fewest underscores in front
 * wins, then a global one, then the shortest, then the first by its letters.
 */

#ifndef MPROF_FUNCTION_SYMBOLS_H
#define MPROF_FUNCTION_SYMBOLS_H

#include "symbols/code_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_symbol {
  uint64_t start, end; /* END is after the last byte */
  const char *name;    /* the linker's; owned by the file */
  unsigned rank;       /* among names for one place; less is better */
};

struct function_symbols {
  struct function_symbol *symbols; /* by start */
  size_t count, capacity;
  uint64_t *starts; /* of functions by call-frame information, in order */
  size_t start_count;
};

/* Where a function begins, and its name, NULL when it has none. */
struct function_found {
  uint64_t start;
  const char *name;
};

/* Reads the functions of FILE, which must outlive SYMBOLS.  False when memory
 * runs out; release it even then. */
bool function_symbols_init(struct function_symbols *symbols,
                           const struct code_file *file);
void function_symbols_release(struct function_symbols *symbols);

/* Finds the function with ADDRESS in it; false when nothing is known. */
bool function_symbols_find(const struct function_symbols *symbols,
                           uint64_t address, struct function_found *found);

#endif
