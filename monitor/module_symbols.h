/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * module_symbols.h -- the shared objects of this process and the functions
 * in their symbol tables, read with libelf.
 *
 * Not inside the hook.
 */
#ifndef MPROF_MODULE_SYMBOLS_H
#define MPROF_MODULE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module {
  uintptr_t base;        /* load address, as the dynamic linker has it */
  uintptr_t start, end;  /* of its executable segments */
  char *path;            /* "" for the virtual one of the kernel */
  struct module *next;
};

/* All shared objects now loaded, in no certain order; from malloc.  NULL when
 * memory ran out. */
struct module *module_list(void);
void module_list_free(struct module *list);

/* The last part of a module's path. */
const char *module_basename(const struct module *module);

/* Call `found' for each function symbol: address, size (0: not known), name
 * (valid during the call).  A module whose file cannot be read has none.
 * `found' gives back false to stop. */
void module_symbols(const struct module *module,
                    bool (*found)(void *closure, uintptr_t address,
                                  size_t size, const char *name),
                    void *closure);

#endif
