/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * c_names.c -- see c_names.h.
 */
#include "names/c_names.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of one file. */
struct naming {
  struct nameless *items; /* by address */
  size_t count;
};

static int
compare_nameless(const void *a, const void *b)
{
  const struct nameless *x = a, *y = b;
  return (x->function->code > y->function->code) -
         (x->function->code < y->function->code);
}

/* GCC makes foo.constprop.0, foo.isra.0, foo.part.0 and foo.cold of foo; to
 * people it is foo. */
static char *
copy_c_name(const char *symbol)
{
  const size_t length = strcspn(symbol, ".");
  return strndup(symbol, length != 0 ? length : strlen(symbol));
}

/* Of the symbols that cover a function it is the last one to begin, and of
 * these the first. */
static void
add_symbol(const struct naming *naming, uintptr_t address, size_t size,
           const char *name)
{
  const uintptr_t end = address + (size != 0 ? size : 1);
  size_t low = 0, high = naming->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (naming->items[middle].function->code < address)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < naming->count && naming->items[low].function->code < end;
       low++) {
    struct nameless *item = &naming->items[low];
    if (item->symbol < address) {
      free((char *)item->function->system_name);
      item->function->system_name = copy_c_name(name);
      item->symbol = address;
    }
  }
}

/* The full symbol table where the file has one, else the dynamic one. */
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

/* Read the symbols of the file, which is loaded at `base'.  One that cannot
 * be read has none. */
static void
add_symbols(const struct naming *naming, const char *path, uintptr_t base)
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
      add_symbol(naming, base + symbol.st_value, symbol.st_size, name);
  }
  elf_end(elf);
  if (file >= 0)
    close(file);
}

/* What no symbol covers is called after the file. */
static void
name_rest(const struct naming *naming, const char *file)
{
  char *name = NULL;
  for (size_t i = 0; i < naming->count; i++) {
    struct code_function *f = naming->items[i].function;
    if (f->system_name == NULL && f->name != NULL)
      f->system_name = "";
    if (f->system_name == NULL &&
        (name != NULL || asprintf(&name, "[%s]", file) >= 0))
      f->system_name = name;
    if (f->name == NULL)
      f->name = f->system_name;
  }
}

void
c_names_give(struct nameless *functions, size_t count,
             const struct code_object *file, bool program)
{
  const struct naming naming = {.items = functions, .count = count};
  if (count == 0)
    return;
  qsort(functions, count, sizeof *functions, compare_nameless);
  add_symbols(&naming, program ? "/proc/self/exe" : file->path, file->base);
  name_rest(&naming, program ? program_invocation_short_name
                             : basename(file->path));
}
