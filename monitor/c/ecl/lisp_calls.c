/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_calls.c -- what the calls in compiled code say of functions.
 */
#include <stdio.h>
#include <string.h>

#include <dlfcn.h>
#include <link.h>

#include "arch/arch.h"
#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "code/code_objects.h"
#include "code/frame_rule.h"
#include "image/image.h"
#include "image/shared_table.h"

static struct shared_table targets = SHARED_TABLE_EMPTY; /* site -> target */

/* How a call names its target: by the place; by a table of the linker, as
 * that is in another file, or may be; by a symbol, whose function it is. */
enum call_kind { CALL_DIRECT, CALL_LINKED, CALL_SYMBOL };
#define TARGET(number, kind) ((uint64_t)(number) << 2 | (kind))
#define TARGET_NUMBER(target) ((uint32_t)((target) >> 2))
#define TARGET_KIND(target) ((enum call_kind)((target) & 3))

/* ---- calls ---- */

/* The file that is loaded at the address; false: none is. */
static bool
find_file(uintptr_t address, struct dl_find_object *file)
{
  return _dl_find_object((void *)address, file) == 0;
}

static bool
is_in(const struct dl_find_object *file, uintptr_t address)
{
  const uintptr_t start = (uintptr_t)file->dlfo_map_start;
  return address >= start && address < (uintptr_t)file->dlfo_map_end;
}

static bool
are_in_one_file(uintptr_t one, uintptr_t other)
{
  struct dl_find_object file;
  return find_file(one, &file) && is_in(&file, other);
}

static bool
is_of_ecl(uintptr_t start)
{
  return are_in_one_file((uintptr_t)REAL(ecl_cons), start);
}

/* What the slot has, if it is one of the file; else 0. */
static uintptr_t
in_slot(const struct dl_find_object *file, uintptr_t slot)
{
  return slot % sizeof slot == 0 && is_in(file, slot)
             ? *(const uintptr_t *)slot
             : 0;
}

/* Whether `at' is in the code of the file.  The program header says so, since
 * linkage tables may lack call-frame information. */
static bool
is_code(const struct dl_find_object *file, uintptr_t at)
{
  const Elf64_Ehdr *const head = file->dlfo_map_start;
  const uintptr_t base = file->dlfo_link_map->l_addr;
  const Elf64_Phdr *part;
  if (!is_in(file, at) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  part = (const Elf64_Phdr *)((const char *)head + head->e_phoff);
  for (unsigned i = 0; i < head->e_phnum; i++)
    if (part[i].p_type == PT_LOAD && (part[i].p_flags & PF_X) != 0 &&
        at - base - part[i].p_vaddr < part[i].p_memsz)
      return true;
  return false;
}

/* What is called by the entry of a linkage table at `at', or 0. */
static uintptr_t
linked_by(const struct dl_find_object *file, uintptr_t at)
{
  return is_code(file, at) ? in_slot(file, arch_linkage_slot(at)) : 0;
}

/* Where the call of ecl_function_dispatch returns to, by which compiled code
 * asks for the code of a function, before the call that returns to `site'; 0:
 * it is called otherwise. */
static uintptr_t
dispatch_before(const struct dl_find_object *file, uintptr_t site)
{
  enum { MOST = 64 };
  for (uintptr_t at = site; (at -= ARCH_CODE_STEP) > site - MOST;)
    if (linked_by(file, arch_call_target(at)) ==
        (uintptr_t)ecl_function_dispatch)
      return at;
  return 0;
}

/* The code of the function of the symbol that is called at `site'; 0: that is
 * no call of a symbol. */
static uintptr_t
code_of_symbol(const struct dl_find_object *file, uintptr_t site)
{
  const uintptr_t dispatch = dispatch_before(file, site);
  int32_t offset;
  const uintptr_t slot =
      dispatch == 0
          ? 0
          : arch_table_argument(dispatch, frame_rule_function(dispatch - 1),
                                &offset);
  const uintptr_t table = slot == 0 ? 0 : in_slot(file, slot);
  cl_object symbol;
  if (table == 0 || offset < 0 || offset % (int)sizeof symbol != 0)
    return 0;
  symbol = *(const cl_object *)(table + (uintptr_t)offset);
  return !lisp_is_of(symbol, t_symbol)
             ? 0
             : lisp_function_code(ECL_SYM_FUN(symbol));
}

/* The target of the call before `site', a function that has a number then; 0:
 * that cannot be told. */
static uint64_t
target_before(uintptr_t site)
{
  struct dl_find_object file;
  enum call_kind kind = CALL_LINKED;
  if (!find_file(site - 1, &file))
    return 0;
  uintptr_t place = arch_call_target(site);
  uintptr_t start = linked_by(&file, place);
  if (start == 0)
    start = in_slot(&file, arch_call_slot(site));
  if (start == 0 && is_in(&file, place) &&
      frame_rule_function(place) == place) {
    kind = CALL_DIRECT;
    start = place;
  }
  if (start == 0) {
    kind = CALL_SYMBOL;
    start = code_of_symbol(&file, site);
  }
  if (start == 0)
    return 0;
  return TARGET(function_number_of_start(&malloc_monitor.functions, start),
                kind);
}

/* The same of a call in a function, which is read once; 0: it is no place in
 * code, or that is gone. */
static uint64_t
target_of(uint64_t site, uint32_t function)
{
  const struct shared_entry *known;
  uint64_t target;
  if ((site & (SITE_SPECIAL | SITE_OBJECT | SITE_RETIRED)) != 0 ||
      lisp_function_at(function)->start == 0)
    return 0;
  known = shared_table_find(&targets, site);
  if (known != NULL)
    return known->value;
  target = target_before(site);
  shared_table_add(&targets, site, target);
  return target;
}

/* Note what ran between the call and what it led to, if that is known.  A
 * symbol may have had another function when it was called.  That was none of
 * ECL's, and no allocator. */
static void
note_between(uint64_t site, uint32_t function, uint32_t callee)
{
  const uint64_t target = target_of(site, function);
  const uint32_t number = TARGET_NUMBER(target);
  const uint32_t name = lisp_function_named(lisp_function_at(number));
  if (name == 0 || (callee & FUNCTION_NUMBER) == number ||
      (TARGET_KIND(target) == CALL_SYMBOL && callee != 0 &&
       !is_of_ecl(lisp_function_at(callee)->start)))
    return;
  image_note(NOTE_BETWEEN, note_between_key(site, function, callee), site,
             SITE_OBJECT | name, NULL);
}

/* ---- local functions ---- */

#define INSIDE "(LAMBDA :IN "

/* The function is one in another, if that has a name. */
static bool
name_inside(uint32_t number, const struct lisp_function *outer)
{
  char text[LISP_NAME_BYTES];
  return lisp_function_named(outer) != 0 &&
         snprintf(text, sizeof text, INSIDE "%s)",
                  lisp_names_text(lisp_function_named(outer))) <
             (int)sizeof text &&
         lisp_function_name(number, lisp_names_intern(text));
}

/* The function was called by the context `up': a call of one that is beside
 * it if that is local itself, or else of one that jumped to it.  What is
 * local is in one file with that, but not in ECL itself, where others are
 * called so.
 */
static bool
name_called(uint32_t function, uint32_t up)
{
  const struct context *const c = &malloc_monitor.tree.contexts[up];
  const uint64_t target = target_of(c->site, c->function);
  const uint32_t number = function & FUNCTION_NUMBER;
  const bool direct = TARGET_NUMBER(target) == number;
  const struct lisp_function *const f = lisp_function_at(number);
  const struct lisp_function *const from =
      lisp_function_at(direct ? c->function : TARGET_NUMBER(target));
  if (f->start == 0 || lisp_function_named(f) != 0 || f->maker != 0 ||
      target == 0 || (direct && TARGET_KIND(target) != CALL_DIRECT) ||
      lisp_function_named(from) == 0 ||
      !are_in_one_file(f->start, from->start) || is_of_ecl(f->start))
    return false;
  return strncmp(lisp_names_text(lisp_function_named(from)), INSIDE,
                 strlen(INSIDE)) == 0
             ? lisp_function_name(number, lisp_function_named(from))
             : name_inside(number, from);
}

/* An object was made of the function: in the one that made it. */
static bool
name_made(void)
{
  bool any = false;
  for (uint32_t i = 1; i <= malloc_monitor.functions.last; i++) {
    const struct lisp_function *const f = lisp_function_at(i);
    if (f->maker != 0 && lisp_function_named(f) == 0)
      any |= name_inside(i, lisp_function_at(f->maker));
  }
  return any;
}

/* ---- all calls ---- */

/* What ran before the function that was called by the context `up'. */
static bool
note_call(uint32_t function, uint32_t up)
{
  const struct context *const c = &malloc_monitor.tree.contexts[up];
  if (up != CONTEXT_ROOT && function != 0)
    note_between(c->site, c->function, function);
  return false;
}

/* Whether one of them is of use. */
static bool
each_call(bool (*use)(uint32_t function, uint32_t up))
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  bool any = false;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
    any |= use(tree->contexts[i].function, tree->contexts[i].parent);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    any |= use(tree->leaves[i].function, tree->leaves[i].up);
  return any;
}

void
lisp_calls_note(void)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  spin_lock(&malloc_monitor.lock);
  while ((int)name_made() |
         (int)each_call(name_called)) /* a name may give others */
    continue;
  each_call(note_call);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    note_between(tree->leaves[i].site, tree->leaves[i].function, 0);
  spin_unlock(&malloc_monitor.lock);
}
