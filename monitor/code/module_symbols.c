/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * module_symbols.c -- the full symbol table where a file has one, else the
 * dynamic one; and the section .eh_frame, which the program header
 * PT_GNU_EH_FRAME leads to.
 */
#include "code/module_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An address as four signed bytes from where they stand (DW_EH_PE_pcrel |
 * DW_EH_PE_sdata4). */
enum { ENCODED_RELATIVE_4 = 0x1b };

/* The section .eh_frame of a loaded object.  Linkers put a header before it:
 * four bytes, the second of which says how the section's address follows.
 * The section ends itself, and lies in the same segment. */
static struct frame_section
find_frames(const struct dl_phdr_info *info)
{
  const uint8_t header_start[] = { 1, ENCODED_RELATIVE_4 };
  const ElfW(Phdr) *header = NULL;
  uintptr_t at, section;
  int32_t offset;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      header = &info->dlpi_phdr[i];
  if (header == NULL || header->p_memsz < 8)
    return (struct frame_section){ 0 };
  at = info->dlpi_addr + header->p_vaddr;
  if (memcmp((const void *)at, header_start, sizeof header_start) != 0)
    return (struct frame_section){ 0 };
  memcpy(&offset, (const void *)(at + 4), sizeof offset);
  section = at + 4 + (uintptr_t)(intptr_t)offset;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && section >= start &&
        section < start + p->p_filesz)
      return (struct frame_section){ .bytes = (const uint8_t *)section,
                                     .size = start + p->p_filesz - section,
                                     .address = section };
  }
  return (struct frame_section){ 0 };
}

static int
add_module(struct dl_phdr_info *info, size_t size, void *data)
{
  struct module **list = data;
  struct module *m;
  uintptr_t start = UINTPTR_MAX, end = 0;
  const char *path = info->dlpi_name;
  const ElfW(Dyn) *dynamic = NULL;
  int segments = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
      uintptr_t from = info->dlpi_addr + p->p_vaddr;
      if (from < start)
        start = from;
      if (from + p->p_memsz > end)
        end = from + p->p_memsz;
      segments++;
    } else if (p->p_type == PT_DYNAMIC) {
      dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + p->p_vaddr);
    }
  }
  if (end == 0)
    return 0;
  if (path == NULL || path[0] == '\0')
    path = *list == NULL ? MODULE_PROGRAM : ""; /* the program is first */
  m = calloc(1, sizeof *m);
  if (m == NULL)
    return -1;
  m->path = strdup(path);
  if (m->path == NULL) {
    free(m);
    return -1;
  }
  m->base = info->dlpi_addr;
  m->start = start;
  m->end = end;
  m->contiguous = segments == 1;
  m->dynamic = dynamic;
  m->frames = find_frames(info);
  m->next = *list;
  *list = m;
  return 0;
}

struct module *
module_list(void)
{
  struct module *list = NULL;
  if (dl_iterate_phdr(add_module, &list) != 0) {
    module_list_free(list);
    return NULL;
  }
  return list;
}

void
module_list_free(struct module *list)
{
  while (list != NULL) {
    struct module *next = list->next;
    free(list->path);
    free(list);
    list = next;
  }
}

const char *
module_basename(const struct module *module)
{
  const char *slash = strrchr(module->path, '/');
  return slash != NULL ? slash + 1 : module->path;
}

static Elf_Scn *
find_symbol_table(Elf *elf, GElf_Shdr *header)
{
  Elf_Scn *section = NULL, *dynamic = NULL;
  GElf_Shdr h;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    if (gelf_getshdr(section, &h) == NULL)
      continue;
    if (h.sh_type == SHT_SYMTAB) {
      *header = h;
      return section;
    }
    if (h.sh_type == SHT_DYNSYM) {
      *header = h;
      dynamic = section;
    }
  }
  return dynamic;
}

/* An open ELF file. */
struct object {
  int file;
  Elf *elf; /* NULL when it cannot be read */
};

static struct object
open_object(const struct module *module)
{
  struct object object = { .file = -1 };
  if (module->path[0] == '\0' || elf_version(EV_CURRENT) == EV_NONE)
    return object;
  object.file = open(module->path, O_RDONLY | O_CLOEXEC);
  if (object.file >= 0)
    object.elf = elf_begin(object.file, ELF_C_READ_MMAP, NULL);
  return object;
}

static void
close_object(struct object *object)
{
  elf_end(object->elf);
  if (object->file >= 0)
    close(object->file);
}

void
module_symbols(const struct module *module,
               bool (*found)(void *, uintptr_t, size_t, const char *),
               void *closure)
{
  struct object object = open_object(module);
  Elf_Scn *section;
  Elf_Data *data = NULL;
  GElf_Shdr header;

  if (object.elf != NULL &&
      (section = find_symbol_table(object.elf, &header)) != NULL)
    data = elf_getdata(section, NULL);
  if (data != NULL && header.sh_entsize != 0) {
    int n = (int)(header.sh_size / header.sh_entsize);
    for (int i = 0; i < n; i++) {
      GElf_Sym symbol;
      const char *name;
      if (gelf_getsym(data, i, &symbol) == NULL ||
          symbol.st_shndx == SHN_UNDEF ||
          (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
           GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
        continue;
      name = elf_strptr(object.elf, header.sh_link, symbol.st_name);
      if (name != NULL &&
          !found(closure, module->base + symbol.st_value,
                 (size_t)symbol.st_size, name))
        break;
    }
  }
  close_object(&object);
}

void
module_frames(const struct module *module,
              bool (*found)(void *, const struct frame_function *),
              void *closure)
{
  frame_info_each(&module->frames, found, closure);
}
