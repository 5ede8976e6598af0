/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rebind.c -- a library that is loaded with RTLD_DEEPBIND finds the functions
 * of the C library before those that are preloaded, and so does dlsym with
 * the handle of the C library.  Objects cross from there to the rest of the
 * program and back, so all of it needs one allocator: the symbols of the real
 * one become those of this one, in the table that the dynamic linker has in
 * this process.  What has an allocator of its own keeps it. */
#include <dlfcn.h> /* dl_find_object */
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "c/interpose/interposed.h"
#include "code/file_symbols.h"

/* The pages where symbols are. */
struct range {
  uintptr_t begin, end;
};

static uintptr_t
page_of(uintptr_t at)
{
  return at & -(uintptr_t)getauxval(AT_PAGESZ);
}

static void
extend(struct range *range, const Elf64_Sym *symbol)
{
  const uintptr_t at = (uintptr_t)symbol;
  const uintptr_t last = (uintptr_t)(symbol + 1) - 1;
  if (range->end == 0 || at < range->begin)
    range->begin = page_of(at);
  if (last >= range->end)
    range->end = page_of(last) + getauxval(AT_PAGESZ);
}

/* Returns the protection of the segment of the file at that address. */
static int
protection_at(const struct file_symbols *symbols, uintptr_t at)
{
  const Elf64_Ehdr *head = symbols->head;
  const Elf64_Phdr *part =
      (const Elf64_Phdr *)((const char *)head + head->e_phoff);
  for (unsigned i = 0; i < head->e_phnum; i++)
    if (part[i].p_type == PT_LOAD &&
        at - symbols->base - part[i].p_vaddr < part[i].p_memsz)
      return ((part[i].p_flags & PF_R) != 0 ? PROT_READ : 0) |
             ((part[i].p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
             ((part[i].p_flags & PF_X) != 0 ? PROT_EXEC : 0);
  return PROT_READ;
}

static void *
real_of(const struct interposed_function *f)
{
  void *function;
  memcpy(&function, f->real, sizeof function);
  return function;
}

/* Let the symbols of the real functions, which are at them or (`back') at our
 * own, be at the others. */
static void
set_symbols(const struct interposed_function *functions, bool back)
{
  const struct interposed_function *f;
  struct file_symbols symbols;
  struct range range = {0};
  if (!file_symbols_of(real_of(functions), &symbols))
    return;
  for (f = functions; f->real != NULL; f++) {
    const uintptr_t from = (uintptr_t)(back ? f->own : real_of(f));
    const Elf64_Sym *s = NULL;
    if (real_of(f) == NULL)
      continue;
    if ((s = file_symbol(&symbols, f->name, from, NULL)) == NULL)
      return;
    for (; s != NULL; s = file_symbol(&symbols, f->name, from, s))
      extend(&range, s);
  }
  int protection = protection_at(&symbols, range.begin);
  if (mprotect((void *)range.begin, range.end - range.begin,
               protection | PROT_WRITE) != 0)
    return;
  for (f = functions; f->real != NULL; f++) {
    const uintptr_t from = (uintptr_t)(back ? f->own : real_of(f));
    const uintptr_t to = (uintptr_t)(back ? real_of(f) : f->own);
    Elf64_Sym *s = NULL;
    while (real_of(f) != NULL &&
           (s = file_symbol(&symbols, f->name, from, s)) != NULL)
      __atomic_store_n(&s->st_value, to - symbols.base, __ATOMIC_RELAXED);
  }
  mprotect((void *)range.begin, range.end - range.begin, protection);
}

void
rebind_symbols(const struct interposed_function *functions)
{
  set_symbols(functions, false);
}

/* ---- what is bound already ---- */

/* A file, while its slots are bound anew. */
struct slots {
  const struct interposed_function *functions;
  bool back;
  uintptr_t base;
  const Elf64_Sym *table;
  const char *names;
  const Elf64_Phdr *relro; /* read-only after relocation; NULL: nothing */
};

/* Write a slot, which may be in the part that is read-only after relocation:
 * that is whole pages, as far as there are. */
static void
set_slot(const struct slots *s, uintptr_t *slot, uintptr_t value)
{
  const uintptr_t page = page_of((uintptr_t)slot);
  const size_t bytes = getauxval(AT_PAGESZ);
  const uintptr_t first = s->relro == NULL ? 0 : s->base + s->relro->p_vaddr;
  const bool relro = s->relro != NULL && page >= page_of(first) &&
                     page < page_of(first + s->relro->p_memsz);
  if (relro && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(slot, value, __ATOMIC_RELAXED);
  if (relro)
    mprotect((void *)page, bytes, PROT_READ);
}

/* Returns whether the slot for a function of another file has no address yet:
 * it leads to code of its own file, which has the dynamic linker find one. */
static bool
is_lazy(const struct slots *s, const Elf64_Rela *r, const Elf64_Sym *symbol,
        uintptr_t value)
{
  struct dl_find_object object;
  return ELF64_R_TYPE(r->r_info) == ARCH_RELOCATION_CALL &&
         symbol->st_shndx == SHN_UNDEF &&
         _dl_find_object((void *)value, &object) == 0 &&
         object.dlfo_link_map->l_addr == s->base;
}

static void
rebind_slot(const struct slots *s, const Elf64_Rela *r)
{
  const unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
  const Elf64_Sym *const symbol = &s->table[ELF64_R_SYM(r->r_info)];
  uintptr_t *const slot = (uintptr_t *)(s->base + r->r_offset);
  if ((type != ARCH_RELOCATION_CALL && type != ARCH_RELOCATION_DATA &&
       type != ARCH_RELOCATION_WORD) ||
      r->r_addend != 0)
    return;
  for (const struct interposed_function *f = s->functions; f->real != NULL;
       f++) {
    const uintptr_t own = (uintptr_t)f->own, real = (uintptr_t)real_of(f);
    const uintptr_t from = s->back ? own : real, to = s->back ? real : own;
    if (strcmp(s->names + symbol->st_name, f->name) == 0) {
      if (*slot == from || (!s->back && is_lazy(s, r, symbol, *slot)))
        set_slot(s, slot, to);
      return;
    }
  }
}

static void
rebind_table(const struct slots *s, uintptr_t table, size_t bytes)
{
  const Elf64_Rela *const first = (const Elf64_Rela *)table;
  for (size_t i = 0; i < bytes / sizeof *first; i++)
    rebind_slot(s, &first[i]);
}

/* Rebinds the slots of one file.  The dynamic linker's own table of a
 * file holds addresses, except in that of the kernel's own object. */
static int
rebind_file(struct dl_phdr_info *info, size_t size, void *closure)
{
  struct slots s = *(const struct slots *)closure;
  const Elf64_Dyn *d = NULL;
  uint64_t values[DT_NUM] = {0}; /* by tag */
  (void)size;
  s.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      d = (const Elf64_Dyn *)(s.base + info->dlpi_phdr[i].p_vaddr);
    else if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
      s.relro = &info->dlpi_phdr[i];
  for (; d != NULL && d->d_tag != DT_NULL; d++)
    if (d->d_tag > 0 && d->d_tag < DT_NUM)
      values[d->d_tag] = d->d_un.d_val;
  s.table = (const Elf64_Sym *)values[DT_SYMTAB];
  s.names = (const char *)values[DT_STRTAB];
  if (s.table != NULL && s.names != NULL) {
    rebind_table(&s, values[DT_RELA], values[DT_RELASZ]);
    rebind_table(&s, values[DT_JMPREL], values[DT_PLTRELSZ]);
  }
  return 0;
}

void
rebind_slots(const struct interposed_function *functions)
{
  struct slots s = {.functions = functions};
  __atomic_thread_fence(__ATOMIC_RELEASE); /* what was set up before is seen
                                              by whom a slot leads here */
  dl_iterate_phdr(rebind_file, &s);
}

void
rebind_back(const struct interposed_function *functions)
{
  struct slots s = {.functions = functions, .back = true};
  set_symbols(functions, true);
  dl_iterate_phdr(rebind_file, &s);
}
