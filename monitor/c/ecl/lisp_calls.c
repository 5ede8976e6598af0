/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_calls.c -- what the calls in compiled code say of functions.
 *
 * What a call calls is kept by the number of its function and its distance
 * from where that begins, which hold when the code is gone.
 */
#include <string.h>

#include <dlfcn.h>

#include "base/call_code.h"
#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "code/code_objects.h"
#include "code/frame_rule.h"
#include "image/image.h"
#include "image/shared_table.h"

static struct shared_table targets = SHARED_TABLE_EMPTY; /* call -> target */

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

/* What is called by the entry of a linkage table at `at', or 0. */
static uintptr_t
linked_by(const struct dl_find_object *file, uintptr_t at)
{
  return is_in(file, at) && frame_rule_function(at) != 0
             ? in_slot(file, arch_linkage_slot(at))
             : 0;
}

/* Where the instruction is that calls ecl_function_dispatch, by which
 * compiled code asks for the code of a function, before the call that returns
 * to `site'; 0: it is called otherwise. */
static uintptr_t
dispatch_before(const struct dl_find_object *file, uintptr_t site)
{
  enum { MOST = 64 };
  for (uintptr_t at = site - 2; at > site - MOST; at--)
    if (linked_by(file, arch_call_target(at)) ==
        (uintptr_t)ecl_function_dispatch)
      return at - ARCH_DIRECT_CALL_BYTES;
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
      dispatch == 0 ? 0
                    : arch_table_argument(
                          dispatch, frame_rule_function(dispatch), &offset);
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

/* 0 for what is no place in a function. */
static uint64_t
key_of_call(uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uintptr_t start = lisp_function_at(number)->start;
  uintptr_t address = site;
  if (start == 0 || (site & (SITE_SPECIAL | SITE_OBJECT)) != 0)
    return 0;
  if ((site & SITE_RETIRED) != 0) {
    const size_t object = RETIRED_OBJECT(site);
    if (object == 0 || object > code_objects_unloaded.count)
      return 0;
    address = code_objects_unloaded.objects[object - 1].start +
              RETIRED_OFFSET(site);
  }
  return address - start > UINT32_MAX
             ? 0
             : (uint64_t)number << 32 | (address - start);
}

/* Each call once, also those that tell nothing. */
static bool
read_call(uint64_t site, uint32_t function, uint32_t up)
{
  const uint64_t key =
      (site & SITE_RETIRED) != 0 ? 0 : key_of_call(site, function);
  (void)up;
  if (key != 0 && shared_table_find(&targets, key) == NULL)
    shared_table_add(&targets, key, target_before(site));
  return false;
}

static uint64_t
target_of(uint64_t site, uint32_t function)
{
  const uint64_t key = key_of_call(site, function);
  return key == 0 ? 0 : shared_table_value(&targets, key);
}

/* A symbol may have had another function when it was called.  That was none
 * of ECL's, and no allocator. */
static uint64_t
function_between(uint64_t site, uint32_t function, uint32_t callee)
{
  const uint64_t target = target_of(site, function);
  const uint32_t number = TARGET_NUMBER(target);
  const uint32_t name = lisp_function_at(number)->name;
  if (name == 0 || (callee & FUNCTION_NUMBER) == number ||
      (TARGET_KIND(target) == CALL_SYMBOL && callee != 0 &&
       !is_of_ecl(lisp_function_at(callee)->start)))
    return 0;
  return SITE_OBJECT | name;
}

/* ---- local functions ---- */

static const char in[] = "(LAMBDA :IN ";

/* The function is one in another, if that has a name. */
static bool
name_inside(uint32_t number, const struct lisp_function *outer)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  if (outer->name == 0)
    return false;
  lisp_printer_text(&out, in);
  lisp_printer_text(&out, lisp_names_text(outer->name));
  lisp_printer_text(&out, ")");
  return out.length <= out.room &&
         lisp_function_name(number, lisp_names_intern(&out));
}

/* The function was called by the context `up': a call of one that is beside
 * it if that is local itself, or else of one that jumped to it.  What is
 * local is in one file with that, but not in ECL itself, where others are
 * called so.
 */
static bool
name_called(uint64_t site, uint32_t function, uint32_t up)
{
  const struct context *const c = &malloc_monitor.tree.contexts[up];
  const uint64_t target = target_of(c->site, c->function);
  const uint32_t number = function & FUNCTION_NUMBER;
  const bool direct = TARGET_NUMBER(target) == number;
  const struct lisp_function *const f = lisp_function_at(number);
  const struct lisp_function *const from =
      lisp_function_at(direct ? c->function : TARGET_NUMBER(target));
  (void)site;
  if (f->start == 0 || f->name != 0 || f->maker != 0 || target == 0 ||
      (direct && TARGET_KIND(target) != CALL_DIRECT) || from->name == 0 ||
      !are_in_one_file(f->start, from->start) || is_of_ecl(f->start))
    return false;
  return strncmp(lisp_names_text(from->name), in, sizeof in - 1) == 0
             ? lisp_function_name(number, from->name)
             : name_inside(number, from);
}

/* An object was made of the function: in the one that made it. */
static bool
name_made(void)
{
  bool any = false;
  for (uint32_t i = 1; i <= malloc_monitor.functions.last; i++) {
    const struct lisp_function *const f = lisp_function_at(i);
    if (f->maker != 0 && f->name == 0)
      any |= name_inside(i, lisp_function_at(f->maker));
  }
  return any;
}

/* ---- all calls ---- */

/* Whether one of them is of use. */
static bool
each_call(bool (*use)(uint64_t site, uint32_t function, uint32_t up))
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  bool any = false;
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *const c = &tree->contexts[i];
    any |= use(c->site, c->function, c->parent);
  }
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *const l = &tree->leaves[i];
    any |= use(l->site, l->function, l->up);
  }
  return any;
}

void
lisp_calls_read(void)
{
  spin_lock(&malloc_monitor.lock);
  each_call(read_call);
  while ((int)name_made() |
         (int)each_call(name_called)) /* a name may give others */
    continue;
  spin_unlock(&malloc_monitor.lock);
}

static void
note_between(uint64_t site, uint32_t function, uint32_t callee)
{
  const uint64_t found = function_between(site, function, callee);
  if (found != 0)
    image_note(NOTE_BETWEEN, note_between_key(site, function, callee), site,
               found, NULL);
}

/* What ran before the function that was called by the context `up'. */
static bool
note_call(uint64_t site, uint32_t function, uint32_t up)
{
  const struct context *const c = &malloc_monitor.tree.contexts[up];
  (void)site;
  if (up != CONTEXT_ROOT && function != 0)
    note_between(c->site, c->function, function);
  return false;
}

void
lisp_calls_note(void)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  malloc_monitor_inside++;
  spin_lock(&malloc_monitor.lock);
  each_call(note_call);
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
    note_between(tree->leaves[i].site, tree->leaves[i].function, 0);
  spin_unlock(&malloc_monitor.lock);
  malloc_monitor_inside--;
}
