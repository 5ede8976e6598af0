/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the program and its libraries have their variables, as the dynamic
 * linker and the headers of the files in memory say.
 */

#ifndef MPROF_REACH_MODULES_H
#define MPROF_REACH_MODULES_H

#include "reach/remote_memory.h"

struct module_data {
  uint64_t start, end;           /* of variables; 0: it has none */
  uint64_t code_start, code_end; /* of all of it */
};

struct modules { /* all zero: none */
  struct module_data *items; /* owned */
  size_t count, capacity;
};

/* Lists those of the struct r_debug at ADDRESS.  False: there is no memory, or
 * none is found. */
bool modules_list(struct modules *modules, const struct remote_memory *memory,
                  uint64_t address);
void modules_release(struct modules *modules);

#endif
