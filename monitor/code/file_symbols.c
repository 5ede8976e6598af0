/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file_symbols.c -- see file_symbols.h.
 */
#include "code/file_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <unistd.h>

static Elf_Scn *
find_symbol_table(Elf *elf, GElf_Shdr *header)
{
  Elf_Scn *section = NULL, *dynamic = NULL;
  GElf_Shdr h;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    if (gelf_getshdr(section, &h) == NULL ||
        (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM))
      continue;
    *header = h;
    if (h.sh_type == SHT_SYMTAB)
      return section;
    dynamic = section;
  }
  return dynamic;
}

static bool
is_function(const GElf_Sym *symbol)
{
  const int type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF &&
         (type == STT_FUNC || type == STT_GNU_IFUNC);
}

void
file_symbols_each(const char *path, uintptr_t base,
                  void (*found)(void *, uintptr_t, size_t, const char *),
                  void *closure)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  Elf *elf = NULL;
  Elf_Scn *section = NULL;
  Elf_Data *data = NULL;
  GElf_Shdr header;
  GElf_Sym symbol;
  if (file >= 0 && elf_version(EV_CURRENT) != EV_NONE)
    elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
  if (elf != NULL)
    section = find_symbol_table(elf, &header);
  if (section != NULL)
    data = elf_getdata(section, NULL);
  for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL;
       i++) {
    const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != NULL && is_function(&symbol))
      found(closure, base + symbol.st_value, symbol.st_size, name);
  }
  elf_end(elf);
  if (file >= 0)
    close(file);
}
