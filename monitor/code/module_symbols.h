/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * module_symbols.h -- the shared objects of this process, the functions in
 * their symbol tables, read with libelf, and those in their call-frame
 * information.
 *
 * Not inside the hook.
 */
#ifndef MPROF_MODULE_SYMBOLS_H
#define MPROF_MODULE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <link.h>

#include "walk/frame_info.h"

/* The path of the program itself, whatever its name is. */
#define MODULE_PROGRAM "/proc/self/exe"

struct module {
  uintptr_t base;        /* load address, as the dynamic linker has it */
  uintptr_t start, end;  /* of its executable segments */
  bool contiguous;       /* there is but one */
  const ElfW(Dyn) *dynamic; /* the dynamic linker's tables; or NULL */
  char *path;            /* "" for the virtual one of the kernel */
  struct frame_section frames; /* in memory; of size 0: there is none */
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

/* Call `found' for each function that the module's call-frame information
 * knows, as frame_info_each does.  It is read from memory, so it is there
 * when the file was stripped, and when it was deleted, as COMPILE does. */
void module_frames(const struct module *module,
                   bool (*found)(void *closure,
                                 const struct frame_function *function),
                   void *closure);

#endif
