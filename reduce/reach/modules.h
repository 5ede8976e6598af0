/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the program and its libraries have their variables, as the dynamic
 * linker and the headers of the files in memory say; and which of these are
 * the C library's lists of free memory.
 *
 * Those lists have addresses at which no object begins for the allocator, and
 * one does for the program, as the header is between: what stands behind the
 * last block of all is in the last words of the object before it.
 */

#ifndef MPROF_REACH_MODULES_H
#define MPROF_REACH_MODULES_H

#include "common/image_format.h"
#include "reach/remote_memory.h"

struct module_data {
  uint64_t start, end;           /* of variables; 0: it has none */
  uint64_t code_start, code_end; /* of all of it */
};

struct modules {             /* all zero: none */
  struct module_data *items; /* owned */
  size_t count, capacity;
  uint64_t bins_start, bins_end; /* the lists; 0: not found */
};

/* False: there is no memory, or none is found. */
bool modules_list(struct modules *modules, struct remote_memory *memory,
                  const struct image_search *search);
void modules_release(struct modules *modules);

#endif
