/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.c -- Lisp objects that stay alive, and their printed names.
 *
 * Model.  An open-addressed table filled with compare-and-swap, so that
 * threads add to it inside the hook without a lock; slots never change.
 * Beside it a dense list of the same objects in the order of their coming:
 * its used part is what the collector is given as a root, and what names are
 * printed from.  Names are printed outside the hook, since that asks for the
 * runtime's lock on packages.
 *
 * All of it is address space that is reserved once, and memory when it is
 * used.  Nothing is ever taken out.  When the table is full, new objects are
 * not kept: a byte-compiled function is then left out of the chain, which is
 * counted, and a class has no name, since by the time that names are printed
 * it may be gone.
 */
#include "names/kept_objects.h"

#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tree/arena.h"
#include "code/code_index.h"
#include "names/function_table.h"
#include "names/lisp_name.h"
#include "names/lisp_role.h"

enum {
  KEPT_SLOTS = 2 * KEPT_OBJECTS /* so that a search soon finds an empty one */
};

static cl_object *kept_table;       /* KEPT_SLOTS */
static cl_object *kept_list;        /* dense, for the collector */
static char **kept_names;           /* printed names by slot */
static uint32_t kept_count, kept_limit, names_printed;
static uint64_t lost_calls;         /* see code_index_lost_calls */
static void (*next_push_other_roots)(void);

static void
push_kept_objects(void)
{
  if (kept_list != NULL && kept_count > 0)
    GC_push_all(kept_list, kept_list + kept_count);
  if (next_push_other_roots != NULL)
    next_push_other_roots();
}

int
kept_objects_reserve(uint32_t limit)
{
  static struct arena table, list, names;
  if (kept_table != NULL)
    return 0;
  if (arena_reserve(&table, KEPT_SLOTS * sizeof(cl_object)) != 0 ||
      arena_reserve(&list, KEPT_SLOTS * sizeof(cl_object)) != 0 ||
      arena_reserve(&names, KEPT_SLOTS * sizeof(char *)) != 0)
    return -1;
  kept_list = list.base;
  kept_names = names.base;
  kept_table = table.base;
  kept_limit = limit;
  next_push_other_roots = GC_get_push_other_roots();
  GC_set_push_other_roots(push_kept_objects);
  return 0;
}

/* The slot of `object' in the table of what is kept; KEPT_SLOTS when that is
 * full. */
static uint32_t
keep(cl_object object)
{
  uint64_t h = (uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15ULL;
  uint32_t i = (uint32_t)(h >> 44) % KEPT_SLOTS;
  for (;; i = (i + 1) % KEPT_SLOTS) {
    cl_object found = __atomic_load_n(&kept_table[i], __ATOMIC_ACQUIRE);
    if (found == object)
      return i;
    if (found == OBJNULL) {
      if (kept_count >= kept_limit)
        return KEPT_SLOTS;
      if (__atomic_compare_exchange_n(&kept_table[i], &found, object, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        uint32_t n = __atomic_fetch_add(&kept_count, 1, __ATOMIC_ACQ_REL);
        __atomic_store_n(&kept_list[n], object, __ATOMIC_RELEASE);
        return i;
      }
      if (found == object)
        return i;
    }
  }
}

void
code_index_keep(cl_object object)
{
  keep(object);
}

uint32_t
code_index_object(cl_object name)
{
  uint32_t slot = keep(name);
  if (slot < KEPT_SLOTS)
    return FUNCTION_OBJECT_BASE + slot;
  __atomic_fetch_add(&lost_calls, 1, __ATOMIC_RELAXED);
  return 0;
}

uint64_t
code_index_lost_calls(void)
{
  return __atomic_load_n(&lost_calls, __ATOMIC_RELAXED);
}

void
code_index_forget_lost_calls(void)
{
  __atomic_store_n(&lost_calls, 0, __ATOMIC_RELAXED);
}

cl_object
kept_objects_at(uint32_t slot)
{
  return slot < KEPT_SLOTS ? kept_table[slot] : OBJNULL;
}

/* A class or a name, as people read it. */
static char *
printed_name(cl_object object)
{
  if (ecl_t_of(object) == t_instance)
    return lisp_name_of_class(object);
  return lisp_role_of_function(object) == ROLE_FORM
             ? strdup("(TOP-LEVEL-FORM)")
             : lisp_name_of_function(object);
}

/* A class whose name has lost its package keeps what was printed before. */
static bool
has_lost_name(cl_object clas)
{
  cl_object name = ECL_CLASS_NAME(clas), package;
  if (ecl_t_of(name) != t_symbol || Null(name))
    return false;
  package = name->symbol.hpack;
  return package == OBJNULL || Null(package) || Null(package->pack.name);
}

void
code_index_print_names(bool classes)
{
  uint32_t count = __atomic_load_n(&kept_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = classes ? 0 : names_printed; i < count; i++) {
    cl_object object = __atomic_load_n(&kept_list[i], __ATOMIC_ACQUIRE);
    uint32_t slot;
    if (object == OBJNULL)
      return; /* another thread is about to store it */
    slot = keep(object);
    if (kept_names[slot] != NULL && ecl_t_of(object) == t_instance &&
        !has_lost_name(object)) {
      free(kept_names[slot]);
      kept_names[slot] = NULL;
    }
    if (kept_names[slot] == NULL)
      kept_names[slot] = printed_name(object);
    if (i >= names_printed)
      names_printed = i + 1;
  }
}

bool
code_index_names_wait(void)
{
  return names_printed < __atomic_load_n(&kept_count, __ATOMIC_ACQUIRE);
}

const char *
kept_objects_name(uint32_t slot)
{
  if (kept_names[slot] == NULL)
    kept_names[slot] = printed_name(kept_table[slot]);
  return kept_names[slot];
}

const char *
code_index_class_name(cl_object clas)
{
  uint32_t slot = keep(clas);
  return slot < KEPT_SLOTS ? kept_objects_name(slot) : NULL;
}
