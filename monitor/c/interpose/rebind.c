/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rebind.c -- a library that is loaded with RTLD_DEEPBIND finds the functions
 * of the C library before those that are preloaded, and so does dlsym with
 * the handle of the C library.  Objects cross from there to the rest of the
 * program and back, so all of it needs one allocator: the symbols of the real
 * one become those of this one, in the table that the dynamic linker has in
 * this process.  What has an allocator of its own keeps it.
 *
 * A library in front of the C library may have some of the functions, and pass
 * calls on to those of the C library.  Then all of these stay. */
#include <dlfcn.h> /* dl_find_object */
#include <gnu/libc-version.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "c/interpose/interposed.h"
#include "code/file_symbols.h"

#pragma weak gnu_get_libc_version /* as in real_allocator.c */

static uintptr_t
page_of(uintptr_t at)
{
  return at & -(uintptr_t)getauxval(AT_PAGESZ);
}

/* What leads to one address, and is to lead to another one. */
struct change {
  uintptr_t from, to; /* both 0: nothing */
};

/* Returns the change from the real function to that of this library, or
 * `back'. */
static struct change
change_of(const struct interposed_function *f, bool back)
{
  const uintptr_t own = (uintptr_t)f->own;
  uintptr_t real;
  memcpy(&real, f->real, sizeof real);
  if (real == 0)
    return (struct change){0};
  return back ? (struct change){own, real} : (struct change){real, own};
}

/* ---- symbols ---- */

/* Makes the segment of the table writable, or what it is in the file.
 * Returns false if the kernel refuses. */
static bool
open_table(const struct file_symbols *symbols, bool writable)
{
  const uintptr_t at = (uintptr_t)symbols->table - symbols->base;
  const Elf64_Phdr *part = (const Elf64_Phdr *)((const char *)symbols->head +
                                                symbols->head->e_phoff);
  while (part->p_type != PT_LOAD || at - part->p_vaddr >= part->p_memsz)
    part++;
  const uintptr_t begin = page_of(symbols->base + part->p_vaddr);
  const uintptr_t end = symbols->base + part->p_vaddr + part->p_memsz;
  int protection = PROT_READ;
  if (writable || (part->p_flags & PF_W) != 0)
    protection |= PROT_WRITE;
  if ((part->p_flags & PF_X) != 0)
    protection |= PROT_EXEC;
  return mprotect((void *)begin, end - begin, protection) == 0;
}

/* Returns whether the file has all the functions; those of this library, if
 * `back'. */
static bool
has_all(const struct file_symbols *symbols,
        const struct interposed_function *functions, bool back)
{
  for (const struct interposed_function *f = functions; f->real != NULL;
       f++) {
    const struct change c = change_of(f, back);
    if (c.from != 0 && file_symbol(symbols, f->name, c.from, NULL) == NULL)
      return false;
  }
  return true;
}

/* Changes the symbols of the file. */
static void
set_symbols(const struct file_symbols *symbols,
            const struct interposed_function *functions, bool back)
{
  if (!open_table(symbols, true))
    return;
  for (const struct interposed_function *f = functions; f->real != NULL;
       f++) {
    const struct change c = change_of(f, back);
    Elf64_Sym *s = NULL;
    while (c.from != 0 &&
           (s = file_symbol(symbols, f->name, c.from, s)) != NULL)
      __atomic_store_n(&s->st_value, c.to - symbols->base, __ATOMIC_RELAXED);
  }
  open_table(symbols, false);
}

bool
rebind_symbols(const struct interposed_function *functions, bool back)
{
  struct file_symbols symbols;
  if (!file_symbols_of((void *)change_of(functions, false).from, &symbols) ||
      !has_all(&symbols, functions, back))
    return false;
  set_symbols(&symbols, functions, back);
  return true;
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

/* Writes a slot, which may be in the part that is read-only after relocation,
 * of whole pages. */
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
       f++)
    if (strcmp(s->names + symbol->st_name, f->name) == 0) {
      const struct change c = change_of(f, s->back);
      if (*slot == c.from || (!s->back && is_lazy(s, r, symbol, *slot)))
        set_slot(s, slot, c.to);
      return;
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
rebind_slots(const struct interposed_function *functions, bool back)
{
  struct slots s = {.functions = functions, .back = back};
  /* what was set up before is published before any slot points here */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  dl_iterate_phdr(rebind_file, &s);
}
