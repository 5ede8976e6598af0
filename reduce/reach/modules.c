/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The linker knows where the dynamic section of each is; the file that is
 * mapped there begins with its headers. */

#include "reach/modules.h"

#include "base/array.h"

#include <link.h>

enum { MOST_HEADERS = 64 };

/* Widens the part from *START to *END, which is none if *END is 0. */
static void
widen(uint64_t *start, uint64_t *end, uint64_t address, uint64_t bytes)
{
  if (*end == 0 || address < *start)
    *start = address;
  if (address + bytes > *end)
    *end = address + bytes;
}

/* False: what is in memory there is not that module. */
static bool
read_module(const struct remote_memory *memory, const struct link_map *map,
            struct module_data *module)
{
  const uint64_t dynamic = (uintptr_t)map->l_ld;
  const uint64_t file = remote_memory_file(memory, dynamic);
  ElfW(Ehdr) head;
  ElfW(Phdr) parts[MOST_HEADERS];
  bool is_there = false;
  *module = (struct module_data){0};
  if (!remote_memory_copy(memory, file, &head, sizeof head) ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_phnum > MOST_HEADERS ||
      !remote_memory_copy(memory, file + head.e_phoff, parts,
                          head.e_phnum * sizeof *parts))
    return false;
  for (int i = 0; i < head.e_phnum; i++) {
    const uint64_t address = map->l_addr + parts[i].p_vaddr;
    const uint64_t bytes = parts[i].p_memsz;
    if (parts[i].p_type == PT_LOAD)
      widen(&module->code_start, &module->code_end, address, bytes);
    if (parts[i].p_type == PT_LOAD && (parts[i].p_flags & PF_W) != 0)
      widen(&module->start, &module->end, address, bytes);
    is_there = is_there ||
               (parts[i].p_type == PT_DYNAMIC && address == dynamic);
  }
  return is_there;
}

bool
modules_list(struct modules *modules, const struct remote_memory *memory,
             uint64_t address)
{
  struct r_debug linker;
  struct link_map map;
  *modules = (struct modules){0};
  if (!remote_memory_copy(memory, address, &linker, sizeof linker))
    return false;
  for (const void *at = linker.r_map; at != NULL; at = map.l_next) {
    struct module_data module;
    if (!remote_memory_copy(memory, (uintptr_t)at, &map, sizeof map))
      return false;
    if (read_module(memory, &map, &module) &&
        !ARRAY_PUSH(modules->items, modules->count, modules->capacity,
                    module))
      return false;
  }
  return modules->count > 0;
}

void
modules_release(struct modules *modules)
{
  free(modules->items);
  *modules = (struct modules){0};
}
