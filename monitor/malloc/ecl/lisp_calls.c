/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_calls.c -- see lisp_calls.h.
 *
 * What a call calls is kept by the number of its function and its distance
 * from where that begins, which hold when the code is gone.
 */
#include "malloc/ecl/lisp_calls.h"

#include <stdio.h>
#include <string.h>

#include <dlfcn.h>

#include "arch/call_code.h"
#include "code/code_objects.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/ecl/lisp_names.h"
#include "malloc/ecl/lisp_runtime.h"
#include "tree/image.h"
#include "tree/shared_table.h"
#include "tree/spin_lock.h"
#include "unwind/frame_rule.h"

enum { MAX_DEPTH = 16 }; /* of functions within others */

static struct spin_lock lock; /* for who changes these */
static struct shared_table makers = SHARED_TABLE_EMPTY;  /* entry -> entry */
static struct shared_table targets = SHARED_TABLE_EMPTY; /* call -> target */

/* How a call names its target: by the place; by a table of the linker, as
 * that is in another file, or may be; by a symbol, whose function it is. */
enum way { BY_PLACE, BY_LINKER, BY_SYMBOL };
#define TARGET(entry, way) ((uint64_t)(entry) << 2 | (way))
#define TARGET_ENTRY(target) ((uintptr_t)((target) >> 2))
#define TARGET_WAY(target) ((enum way)((target)&3))

/* ---- objects ---- */

static void
add(struct shared_table *table, uint64_t key, uint64_t value)
{
  spin_lock(&lock);
  if (shared_table_find(table, key) == NULL)
    shared_table_add(table, key, value);
  spin_unlock(&lock);
}

void
lisp_calls_made(uintptr_t entry, uintptr_t site)
{
  if (!lisp_runtime.hooked || shared_table_find(&makers, entry) != NULL)
    return;
  malloc_monitor_inside++;
  add(&makers, entry, frame_rule_function(site - 1));
  malloc_monitor_inside--;
}

/* The thread that had it may be none of the child's. */
void
lisp_calls_forked(void)
{
  lock.holder = 0;
}

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
  for (uintptr_t at = site - 2;
       at > site - MOST && lisp_runtime.dispatch != 0; at--)
    if (linked_by(file, arch_call_target(at)) == lisp_runtime.dispatch)
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
  return symbol == OBJNULL || ECL_IMMEDIATE(symbol) || symbol->d.t != t_symbol
             ? 0
             : lisp_names_function_code(ECL_SYM_FUN(symbol));
}

/* The target of the call before `site'; 0: that cannot be told. */
static uint64_t
target_before(uintptr_t site)
{
  struct dl_find_object file, own;
  enum way way = BY_LINKER;
  uintptr_t entry, place;
  if (!find_file(site - 1, &file) ||
      !find_file((uintptr_t)lisp_calls_read, &own))
    return 0;
  place = arch_call_target(site);
  entry = linked_by(&file, place);
  if (entry == 0)
    entry = in_slot(&file, arch_call_slot(site));
  if (entry == 0 && is_in(&file, place) &&
      frame_rule_function(place) == place) {
    way = BY_PLACE;
    entry = place;
  }
  if (entry == 0) {
    way = BY_SYMBOL;
    entry = code_of_symbol(&file, site);
  }
  /* what is in front of an allocator is no function of the program */
  return entry == 0 || is_in(&own, entry) ? 0 : TARGET(entry, way);
}

/* 0 for what is no place in a function. */
static uint64_t
key_of_call(uint64_t site, uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  const uintptr_t start = lisp_names_start(number);
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
static void
read_call(uint64_t site, uint32_t function)
{
  const uint64_t key =
      (site & SITE_RETIRED) != 0 ? 0 : key_of_call(site, function);
  if (key != 0 && shared_table_find(&targets, key) == NULL)
    add(&targets, key, target_before(site));
}

static uint64_t
target_of(uint64_t site, uint32_t function)
{
  const uint64_t key = key_of_call(site, function);
  return key == 0 ? 0 : shared_table_value(&targets, key);
}

static bool
is_of_ecl(uintptr_t entry)
{
  struct dl_find_object file;
  return find_file((uintptr_t)lisp_runtime.core, &file) &&
         is_in(&file, entry);
}

/* A symbol may have had another function when it was called.  That was none
 * of ECL's, and no allocator. */
static uint64_t
between(uint64_t site, uint32_t function, uint32_t callee)
{
  const uint64_t target = target_of(site, function);
  const uintptr_t entry = TARGET_ENTRY(target);
  const uintptr_t below = lisp_names_start(callee & FUNCTION_NUMBER);
  const uint32_t name = entry == 0 ? 0 : lisp_names_of_code(entry);
  if (name == 0 || below == entry ||
      (TARGET_WAY(target) == BY_SYMBOL && callee != 0 && !is_of_ecl(below)))
    return 0;
  return SITE_OBJECT | name;
}

/* ---- local functions ---- */

static const char in[] = "(LAMBDA :IN ";

/* The code at `entry' is that of a function in the one called `name'.  False:
 * it has got no name by that. */
static bool
name_inside(uintptr_t entry, const char *name)
{
  char text[LISP_NAME_BYTES];
  const int n = snprintf(text, sizeof text, "%s%s)", in, name);
  return n > 0 && (size_t)n < sizeof text && lisp_names_nameless(entry, text);
}

static const char *
name_at(uintptr_t entry)
{
  const uint32_t name = lisp_names_of_code(entry);
  return name == 0 ? NULL : lisp_names_text(name);
}

/* An object was made of it: one in which others may be made. */
static bool
name_made(uintptr_t entry, int depth)
{
  const uintptr_t maker = (uintptr_t)shared_table_value(&makers, entry);
  return maker != 0 && depth > 0 &&
         (name_at(maker) != NULL || name_made(maker, depth - 1)) &&
         name_inside(entry, name_at(maker));
}

/* Whether one can be local to the other, as it is called by nothing else:
 * both are in one file, but not in ECL itself, where others are called so. */
static bool
are_in_one_file(uintptr_t entry, uintptr_t other)
{
  struct dl_find_object file;
  return find_file(entry, &file) && is_in(&file, other) && !is_of_ecl(entry);
}

/* It was called at `site' by the function with the number `caller', which is
 * beside it if it is local itself, or else by one that the target jumped to.
 */
static bool
name_called(uintptr_t entry, uint64_t site, uint32_t caller)
{
  const uint64_t target = target_of(site, caller);
  const bool direct = TARGET_ENTRY(target) == entry;
  const uintptr_t from = direct ? lisp_names_start(caller & FUNCTION_NUMBER)
                                : TARGET_ENTRY(target);
  const char *name;
  if (target == 0 || (direct && TARGET_WAY(target) != BY_PLACE) ||
      !are_in_one_file(entry, from) || (name = name_at(from)) == NULL)
    return false;
  return strncmp(name, in, sizeof in - 1) == 0
             ? lisp_names_nameless(entry, name)
             : name_inside(entry, name);
}

/* The function `number' was called by the context `up'. */
static bool
name_local(uint32_t number, uint32_t up)
{
  const struct context *const c = &malloc_monitor.tree.contexts[up];
  const uintptr_t entry = lisp_names_start(number & FUNCTION_NUMBER);
  if (entry == 0 || lisp_names_of_code(entry) != 0)
    return false;
  return shared_table_find(&makers, entry) != NULL
             ? name_made(entry, MAX_DEPTH)
             : name_called(entry, c->site, c->function);
}

void
lisp_calls_read(void)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  bool more = lisp_runtime.hooked;
  malloc_monitor_inside++;
  spin_lock(&malloc_monitor.lock);
  for (uint32_t i = CONTEXT_FIRST; more && i < tree->context_count; i++)
    read_call(tree->contexts[i].site, tree->contexts[i].function);
  for (uint32_t i = LEAF_FIRST; more && i < tree->leaf_count; i++)
    read_call(tree->leaves[i].site, tree->leaves[i].function);
  while (more) { /* for a name may give names to others */
    more = false;
    for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++)
      more |=
          name_local(tree->contexts[i].function, tree->contexts[i].parent);
    for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++)
      more |= name_local(tree->leaves[i].function, tree->leaves[i].up);
  }
  spin_unlock(&malloc_monitor.lock);
  malloc_monitor_inside--;
}

static void
note_between(uint64_t site, uint32_t function, uint32_t callee)
{
  const uint64_t found = between(site, function, callee);
  if (found != 0)
    image_note(NOTE_BETWEEN, note_between_key(site, function, callee), site,
               found, NULL);
}

/* Of each call of a context, and of each allocation. */
void
lisp_calls_note(void)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  malloc_monitor_inside++;
  spin_lock(&malloc_monitor.lock);
  for (uint32_t i = CONTEXT_FIRST; i < tree->context_count; i++) {
    const struct context *const c = &tree->contexts[i];
    const struct context *const up = &tree->contexts[c->parent];
    if (c->parent != CONTEXT_ROOT && c->function != 0)
      note_between(up->site, up->function, c->function);
  }
  for (uint32_t i = LEAF_FIRST; i < tree->leaf_count; i++) {
    const struct leaf *const l = &tree->leaves[i];
    const struct context *const up = &tree->contexts[l->up];
    if (l->up != CONTEXT_ROOT && l->function != 0)
      note_between(up->site, up->function, l->function);
    note_between(l->site, l->function, 0);
  }
  spin_unlock(&malloc_monitor.lock);
  malloc_monitor_inside--;
}
