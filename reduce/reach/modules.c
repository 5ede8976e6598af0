/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The linker knows where the dynamic section of each is; the file that is
 * mapped there begins with its headers.
 *
 * The C library does not say where its allocator has the lists of free
 * memory.  They are known by what they are: rings, 127 one after the other,
 * each of which leads back to itself.
 *
 *     malloc_state   lock, flags
 *                    10 lists of small blocks, `top', the last remainder
 *                    127 rings: the first block and the last one
 *                    which rings have blocks; the next malloc_state; sums
 *
 * A ring is taken to be a block of which all but these two words is missing:
 * 16 bytes before them.  Both are its own address if it is empty.
 */

#include "reach/modules.h"

#include "base/array.h"

#include <link.h>

enum {
  MOST_HEADERS = 64,
  WORD = sizeof(uint64_t),
  RINGS = 127,
  FEW = 8, /* a thread may have stopped while it changed one */
  RING_BYTES = 2 * WORD,
  BLOCK_FIRST = 2 * WORD, /* in a block: the next one, */
  BLOCK_LAST = 3 * WORD,  /* the one before */
  BYTES_BEFORE = 14 * WORD,
  BYTES_BEHIND = 7 * WORD
};

/* ---- one module -------------------------------------------------------- */

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
    is_there =
        is_there || (parts[i].p_type == PT_DYNAMIC && address == dynamic);
  }
  return is_there;
}

/* ---- the lists of free memory ------------------------------------------ */

/* Whether a ring is at AT: the first block has it before it. */
static bool
is_ring(struct remote_memory *memory, uint64_t at)
{
  const uint64_t first = remote_memory_word(memory, at);
  return first != 0 &&
         remote_memory_word(memory, first + BLOCK_LAST) == at - BLOCK_FIRST;
}

/* Finds them among the variables of a module. */
static void
find_bins(struct modules *modules, struct remote_memory *memory,
          const struct module_data *module)
{
  for (uint64_t at = module->start; at + RINGS * RING_BYTES <= module->end;
       at += WORD) {
    int rings = 0;
    for (uint64_t i = 0; i < RINGS && (i == 0 || rings > 0); i++)
      rings += is_ring(memory, at + RING_BYTES * i);
    if (rings > RINGS - FEW) {
      modules->bins_start = at - BYTES_BEFORE;
      modules->bins_end = at + RINGS * RING_BYTES + BYTES_BEHIND;
      return;
    }
  }
}

/* ---- all --------------------------------------------------------------- */

bool
modules_list(struct modules *modules, struct remote_memory *memory,
             const struct image_search *search)
{
  struct r_debug linker;
  struct link_map map;
  *modules = (struct modules){0};
  if (!remote_memory_copy(memory, search->modules, &linker, sizeof linker))
    return false;
  for (const void *at = linker.r_map; at != NULL; at = map.l_next) {
    struct module_data module;
    if (!remote_memory_copy(memory, (uintptr_t)at, &map, sizeof map))
      return false;
    if (!read_module(memory, &map, &module))
      continue;
    if (!ARRAY_PUSH(modules->items, modules->count, modules->capacity,
                    module))
      return false;
    if (search->allocator - module.code_start <
        module.code_end - module.code_start)
      find_bins(modules, memory, &module);
  }
  return modules->count > 0;
}

void
modules_release(struct modules *modules)
{
  free(modules->items);
  *modules = (struct modules){0};
}
