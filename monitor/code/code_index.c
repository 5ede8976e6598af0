/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_index.c -- one sorted array of where all functions begin.
 *
 * Model.  The index is the entries of all modules (code_module), sorted, with
 * an entry of function 0 behind each module.  A new one is made and published
 * when a module comes or goes; the old one is freed once every thread has
 * been seen outside the hook.
 *
 * A small direct-mapped cache in front answers the one question that the
 * walk asks for each frame: which kind of code.
 *
 * Function numbers are those of two tables, function_table and kept_objects;
 * what a number means is asked of one or the other here.
 */
#include "code/code_index.h"

#include <gc/gc.h>
#include <stdlib.h>
#include <string.h>

#include "code/code_module.h"
#include "code/code_names.h"
#include "first_object.h"
#include "names/function_table.h"
#include "threads/gates.h"
#include "names/kept_objects.h"
#include "last_call.h"
#include "names/lisp_role.h"
#include "code/module_symbols.h"

struct index {
  size_t count;
  struct code_entry entries[];
};

static struct code_module *modules;
static struct index *current;       /* published */

uint64_t code_index_kinds[CODE_INDEX_KINDS];

/* All kinds that were found, as in code_index_kinds, by open addressing: so
 * two places in code that meet in one entry of the cache do not have their
 * code read again and again. */
enum { FOUND_KINDS = 1 << 16, FOUND_PROBES = 8 };
static uint64_t found_kinds[FOUND_KINDS];

static int
publish(void)
{
  size_t count = 0;
  struct index *old = current, *new;
  for (const struct code_module *m = modules; m != NULL; m = m->next)
    count += m->count + 1;
  new = malloc(sizeof *new + count * sizeof(struct code_entry));
  if (new == NULL)
    return -1;
  new->count = 0;
  for (const struct code_module *m = modules; m != NULL; m = m->next) {
    memcpy(&new->entries[new->count], m->entries,
           m->count * sizeof(struct code_entry));
    new->count += m->count;
    new->entries[new->count++] =
        (struct code_entry){ .start = m->end, .kind = CODE_FOREIGN };
  }
  qsort(new->entries, new->count, sizeof(struct code_entry),
        code_entries_compare);
  __atomic_store_n(&current, new, __ATOMIC_RELEASE);
  for (size_t i = 0; i < CODE_INDEX_KINDS; i++)
    __atomic_store_n(&code_index_kinds[i], 0, __ATOMIC_RELAXED);
  for (size_t i = 0; i < FOUND_KINDS; i++)
    __atomic_store_n(&found_kinds[i], 0, __ATOMIC_RELAXED);
  if (old != NULL) {
    gates_wait_for_hooks();
    free(old);
  }
  return 0;
}

int
code_index_update(void)
{
  struct module *list;
  bool changed = current == NULL;
  if (changed) { /* no pointers: the collector need not look there */
    GC_exclude_static_roots(code_index_kinds,
                            code_index_kinds + CODE_INDEX_KINDS);
    GC_exclude_static_roots(found_kinds, found_kinds + FOUND_KINDS);
  }
  if (kept_objects_reserve(KEPT_OBJECTS) != 0 ||
      (list = module_list()) == NULL)
    return -1;
  for (struct code_module *m = modules; m != NULL; m = m->next)
    m->seen = false;
  for (const struct module *l = list; l != NULL; l = l->next) {
    struct code_module *m = modules;
    while (m != NULL &&
           (m->base != l->base || m->start != l->start ||
            m->tables != code_names_tables(l) ||
            strcmp(m->path, l->path) != 0))
      m = m->next;
    /* what has got more names is learned again, and the old one goes */
    if (m == NULL) {
      if ((m = code_module_new(l)) == NULL)
        break;
      m->next = modules;
      modules = m;
      changed = true;
    }
    m->seen = true;
  }
  module_list_free(list);
  for (struct code_module **p = &modules; *p != NULL;) {
    struct code_module *m = *p;
    if (m->seen) {
      p = &m->next;
    } else {
      *p = m->next;
      code_module_free(m);
      changed = true;
    }
  }
  return changed ? publish() : 0;
}

static struct code_module **
find_module(uintptr_t base)
{
  struct code_module **p = &modules;
  while (*p != NULL && (*p)->base != base)
    p = &(*p)->next;
  return p;
}

void
code_index_range(uintptr_t base, uintptr_t *start, uintptr_t *end)
{
  const struct code_module *m = *find_module(base);
  *start = m != NULL ? m->start : 0;
  *end = m != NULL ? m->end : 0;
}

void
code_index_unload(uintptr_t base)
{
  struct code_module **p = find_module(base), *m = *p;
  if (m == NULL)
    return;
  *p = m->next;
  code_module_free(m);
  publish();
}

static const struct code_entry *
find_entry(const struct index *index, uintptr_t address)
{
  return code_entries_before(index->entries, index->count, address);
}

/* A return address may be the end of its function: the call is before it. */
uint32_t
code_index_function_at(uintptr_t address)
{
  const struct code_entry *e = find_entry(
      __atomic_load_n(&current, __ATOMIC_ACQUIRE), address - 1);
  return e != NULL ? e->function : 0;
}

static uintptr_t
end_of_code(void *closure, uintptr_t address)
{
  const struct index *index = closure;
  const struct code_entry *e = find_entry(index, address);
  return e == NULL || e + 1 == index->entries + index->count ? 0 : e[1].start;
}

/* The commonest constructors: they announce an object whenever they return,
 * which others need not (a float may be zero, and exist already). */
static bool
makes_object(uintptr_t function)
{
  return function == (uintptr_t)ecl_cons ||
         function == (uintptr_t)ecl_list1 ||
         function == (uintptr_t)ecl_alloc_compact_object;
}

/* What the index and the code say of the place. */
static enum code_kind
read_kind(uintptr_t address)
{
  struct index *index = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
  const struct code_entry *e = find_entry(index, address - 1);
  struct function_code code;
  bool last, once;
  if (e == NULL)
    return CODE_FOREIGN;
  if (e->kind != CODE_FRAME_POINTER || e->reentered)
    return (enum code_kind)e->kind;
  code = (struct function_code){ e->start, end_of_code(index, e->start) };
  last = last_call_at(address, end_of_code, index);
  once = last || first_object_comes_once(code, address);
  switch (e->part ? ORDER_UNKNOWN
                  : first_object_order(code, address, makes_object)) {
  case ORDER_AFTER:
    return last ? CODE_LAST_AFTER : once ? CODE_SINGLE_AFTER : CODE_AFTER_FIRST;
  case ORDER_FIRST:
    return last ? CODE_LAST_CALL : CODE_FIRST_OBJECT;
  case ORDER_UNKNOWN:
  default:
    return last ? CODE_LAST_CALL : once ? CODE_SINGLE_CALL : CODE_FRAME_POINTER;
  }
}

enum code_kind
code_index_find_kind(uintptr_t address)
{
  size_t i = (size_t)((address * 0x9E3779B97F4A7C15ULL) >> 48);
  uint64_t *slot = &found_kinds[i], found = 0;
  for (size_t probe = 0; probe < FOUND_PROBES; probe++) {
    slot = &found_kinds[(i + probe) % FOUND_KINDS];
    found = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (found == 0 || found >> 4 == address)
      break;
  }
  if (found >> 4 != address) { /* the last slot, when all are taken */
    found = (uint64_t)address << 4 | (uint64_t)read_kind(address);
    __atomic_store_n(slot, found, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&code_index_kinds[code_index_kind_slot(address)], found,
                   __ATOMIC_RELAXED);
  return (enum code_kind)(found & 15);
}

enum code_role
code_index_role(uint32_t number)
{
  const struct code_function *f;
  if (number == 0 || number >= FUNCTION_OBJECT_BASE)
    return ROLE_SHOWN;
  f = function_table_at(number);
  return f->runtime ? ROLE_RUNTIME : f->root ? ROLE_ROOT : ROLE_SHOWN;
}

enum phase_role
code_index_phase_role(uint32_t number)
{
  cl_object object;
  if (number == 0)
    return ROLE_NEUTRAL;
  if (number < FUNCTION_OBJECT_BASE)
    return function_table_at(number)->phase_role;
  object = kept_objects_at(number - FUNCTION_OBJECT_BASE);
  return object != OBJNULL ? lisp_role_of_function(object) : ROLE_NEUTRAL;
}

const struct code_function *
code_index_function(uint32_t number)
{
  static struct code_function object;
  const char *name;
  if (number == 0)
    return NULL;
  if (number < FUNCTION_OBJECT_BASE)
    return function_table_at(number);
  if (kept_objects_at(number - FUNCTION_OBJECT_BASE) == OBJNULL)
    return NULL;
  name = kept_objects_name(number - FUNCTION_OBJECT_BASE);
  object = (struct code_function){
    .name = name != NULL ? name : "(OUT-OF-MEMORY)",
    .system_name = "",
    .file_position = -1,
  };
  return &object;
}
