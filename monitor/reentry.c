/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reentry.c -- find calls of setjmp in machine code.
 *
 * The dynamic linker's tables say which word in memory holds the address of
 * setjmp; a search through the code finds what calls through that word.  The
 * compiler may have put a part of a function elsewhere, so what jumps to code
 * that calls setjmp goes with it.
 *
 * Not found: __builtin_setjmp, which calls nothing.  Neither the runtime nor
 * compiled Lisp code uses it, and only their calls are taken for last ones.
 */
#include "reentry.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "arch/instruction.h"

static bool
returns_twice(const char *name)
{
  static const char *const names[] = { "setjmp", "_setjmp", "sigsetjmp",
                                       "__sigsetjmp", "getcontext", "vfork" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

/* The dynamic linker's tables of a module, in memory. */
struct linkage {
  const ElfW(Sym) *symbols;
  const char *strings;
  struct {
    const ElfW(Rela) *items;
    size_t bytes;
  } relocations[2];
};

static bool
read_linkage(const struct module *module, struct linkage *linkage)
{
  memset(linkage, 0, sizeof *linkage);
  if (module->dynamic == NULL)
    return false;
  for (const ElfW(Dyn) *d = module->dynamic; d->d_tag != DT_NULL; d++) {
    /* the linker has made most of them absolute */
    uintptr_t p = d->d_un.d_ptr < module->base
                      ? module->base + d->d_un.d_ptr
                      : d->d_un.d_ptr;
    switch (d->d_tag) {
    case DT_SYMTAB:
      linkage->symbols = (const ElfW(Sym) *)p;
      break;
    case DT_STRTAB:
      linkage->strings = (const char *)p;
      break;
    case DT_JMPREL:
      linkage->relocations[0].items = (const ElfW(Rela) *)p;
      break;
    case DT_PLTRELSZ:
      linkage->relocations[0].bytes = d->d_un.d_val;
      break;
    case DT_RELA:
      linkage->relocations[1].items = (const ElfW(Rela) *)p;
      break;
    case DT_RELASZ:
      linkage->relocations[1].bytes = d->d_un.d_val;
      break;
    default:
      break;
    }
  }
  return linkage->symbols != NULL && linkage->strings != NULL;
}

/* Call `found' with addresses in all functions of the module that may call
 * such a function.  False when that cannot be told. */
static bool
each_call(const struct module *module,
          void (*found)(void *closure, uintptr_t address), void *closure)
{
  struct linkage linkage;
  if (!module->contiguous || !read_linkage(module, &linkage))
    return false;
  for (size_t t = 0; t < 2; t++) {
    const ElfW(Rela) *items = linkage.relocations[t].items;
    size_t count = linkage.relocations[t].bytes / sizeof *items;
    for (size_t i = 0; items != NULL && i < count; i++) {
      size_t symbol = ELF64_R_SYM(items[i].r_info);
      if (symbol != 0 &&
          returns_twice(linkage.strings + linkage.symbols[symbol].st_name))
        arch_calls_through(module->start, module->end,
                           module->base + items[i].r_offset, found, closure);
    }
  }
  return true;
}

/* The number of the entry that the address is in; `count' for none. */
static size_t
containing_entry(const struct code_module *m, uintptr_t address)
{
  const struct code_entry *e =
      code_entries_before(m->entries, m->count, address);
  return e != NULL && address < m->end ? (size_t)(e - m->entries) : m->count;
}

static void
set_reentered(void *module, uintptr_t address)
{
  struct code_module *m = module;
  size_t i = containing_entry(m, address);
  if (i < m->count)
    m->entries[i].reentered = true;
}

struct jumps {
  const struct code_module *module;
  uintptr_t start; /* of the function that they are in */
  bool into_reentered;
};

/* Bytes within instructions may look like a jump.  (In some builds of the
 * runtime `ecl_plus' had such, and all its frames were marked:
 * mandelbrot-floats took 1.5 times as long as in the unpatched ECL.) */
static void
look_at_jump(void *closure, uintptr_t address, uintptr_t target)
{
  struct jumps *jumps = closure;
  size_t i = containing_entry(jumps->module, target);
  if (i < jumps->module->count && jumps->module->entries[i].reentered &&
      !jumps->into_reentered)
    jumps->into_reentered = arch_is_jump(jumps->start, address);
}

void
reentry_find(struct code_module *m, const struct module *module)
{
  bool changed = true;
  if (!each_call(module, set_reentered, m)) {
    for (size_t i = 0; i < m->count; i++)
      m->entries[i].reentered = true;
    return;
  }
  while (changed) {
    changed = false;
    for (size_t i = 0; i < m->count; i++) {
      struct code_entry *e = &m->entries[i];
      uintptr_t end = i + 1 < m->count ? e[1].start : m->end;
      struct jumps jumps = { .module = m, .start = e->start };
      if (e->reentered || e->kind != CODE_FRAME_POINTER)
        continue;
      arch_jumps_out(e->start, end, look_at_jump, &jumps);
      e->reentered = jumps.into_reentered;
      changed |= e->reentered;
    }
  }
}
