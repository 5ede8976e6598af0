/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.c -- Lisp objects that stay alive, and their names.
 *
 * Model.  An array of objects in the order of their coming, and a table from
 * the object to its place there.  The used part of the array is what the
 * collector is given as a root.  A name is printed when its object comes: later
 * its symbol may have no package.  A class may get another name, so the names
 * of classes are printed again for each profile.
 *
 * Nothing is ever taken out.  When the array is full, new objects are not
 * kept: a byte-compiled function is then left out of the chain, which is
 * counted, and a class has no name, since by the time of a profile it may be
 * gone.
 */
#include "lisp/names/kept_objects.h"

#include <errno.h>
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <string.h>

#include "common/phase.h"
#include "image/arena.h"
#include "image/note_list.h"
#include "image/shared_table.h"
#include "lisp/names/lisp_printer.h"
#include "tree/context_tree.h"

static struct {
  struct shared_table places; /* of objects, from 1 on; its lock is that of all
                                 that follows */
  cl_object *objects;         /* by place; [0] is none */
  const char **names;         /* by place; NULL: there was no memory */
  uint32_t *in_tree;          /* of functions: see kept_objects_in_tree */
  uint32_t count, limit;
  struct arena texts; /* has the names, which do not move */
  size_t text_bytes;
  uint64_t lost_calls; /* see kept_objects_lost_calls */
  void (*next_push_other_roots)(void);
} kept = { .places = SHARED_TABLE_EMPTY };

static void
push_kept_objects(void)
{
  GC_push_all(kept.objects, kept.objects + kept.count + 1);
  if (kept.next_push_other_roots != NULL)
    kept.next_push_other_roots();
}

int
kept_objects_reserve(uint32_t limit)
{
  struct arena arena;
  if (kept.objects != NULL)
    return 0;
  if (arena_reserve(&arena, (limit + (size_t)1) *
                                (sizeof *kept.objects + sizeof *kept.names +
                                 sizeof *kept.in_tree)) != 0)
    return -1;
  kept.objects = arena.base;
  kept.names = (const char **)(kept.objects + limit + 1);
  kept.in_tree = (uint32_t *)(kept.names + limit + 1);
  kept.limit = limit;
  kept.next_push_other_roots = GC_get_push_other_roots();
  GC_set_push_other_roots(push_kept_objects);
  return 0;
}

/* ---- names ---- */

static bool
is_class(cl_object object)
{
  return ecl_t_of(object) == t_instance;
}

/* The name of an object, which is not known yet; NULL: there is no memory. */
static const char *
print(cl_object object)
{
  enum { ROOM = 1 << 16, MOST = 1 << 30 };
  struct lisp_printer out = {.length = 0};
  do {
    const size_t bytes = kept.text_bytes + out.length + 1;
    if (bytes > kept.texts.reserved_bytes &&
        arena_grow_in_place(&kept.texts, bytes + ROOM, MOST) != 0)
      return NULL;
    out.at = (char *)kept.texts.base + kept.text_bytes;
    out.room = kept.texts.reserved_bytes - kept.text_bytes - 1;
    out.length = 0;
    lisp_printer_name(&out, object,
                      is_class(object) ? NAMED_CLASS : NAMED_FUNCTION);
  } while (out.length > out.room);
  kept.text_bytes += out.length + 1;
  return lisp_printer_end(&out);
}

/* Is it (FLET CALL-NEXT-METHOD :IN method), the local function of a method,
 * which only passes its arguments on? */
static bool
is_next_method(cl_object name)
{
  if (!ECL_CONSP(name) || !ECL_CONSP(ECL_CONS_CDR(name)))
    return false;
  return lisp_is_named(ECL_CONS_CAR(ECL_CONS_CDR(name)), "CALL-NEXT-METHOD");
}

static uint32_t
in_tree(cl_object object, const char *name)
{
  if (name == NULL || is_class(object))
    return 0;
  return (uint32_t)phase_role_of(name, "", false) << FUNCTION_ROLE_SHIFT |
         (is_next_method(object) ? FUNCTION_HIDDEN : 0);
}

static void
note(struct note_list *notes, uint32_t place)
{
  const cl_object object = kept.objects[place];
  const char *const name = kept.names[place];
  const uint32_t number = FUNCTION_OBJECT_BASE + place;
  if (name == NULL) {
    if (notes != NULL)
      notes->failed = true;
  } else if (is_class(object)) {
    note_add(notes, NOTE_CLASS, (uintptr_t)object,
             lisp_printer_is_structure(object), 0, name);
  } else {
    note_add(notes, NOTE_FUNCTION, number,
             NOTE_CALLS_KNOWN | (is_next_method(object) ? NOTE_RUNTIME : 0),
             0, NULL);
    note_add(notes, NOTE_NAME, number, 0, 0, name);
  }
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

/* Print it again if it may be another one, or there was no memory. */
static void
renew_name(uint32_t place)
{
  const cl_object object = kept.objects[place];
  const char *const before = kept.names[place], *now;
  size_t used;
  if (before != NULL && (!is_class(object) || has_lost_name(object)))
    return;
  spin_lock(&kept.places.lock);
  used = kept.text_bytes;
  now = print(object);
  if (now != NULL && before != NULL && strcmp(now, before) == 0)
    kept.text_bytes = used;
  else if (now != NULL)
    kept.names[place] = now;
  spin_unlock(&kept.places.lock);
}

void
kept_objects_note(struct note_list *notes)
{
  const uint32_t count = __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 1; i <= count; i++) {
    renew_name(i);
    note(notes, i);
  }
}

/* ---- objects ---- */

/* The place of `object', or 0. */
static uint32_t
place_of(cl_object object)
{
  return (uint32_t)shared_table_value(&kept.places, (uintptr_t)object);
}

/* A place for it; 0: there is no memory.  Keeps errno. */
static uint32_t
add(cl_object object)
{
  const int saved = errno;
  uint32_t place = kept.count + 1;
  const size_t used = kept.text_bytes;
  const char *const name = print(object);
  kept.objects[place] = object;
  kept.names[place] = name;
  kept.in_tree[place] = in_tree(object, name);
  if (shared_table_add(&kept.places, (uintptr_t)object, place)) {
    note(NULL, place);
    __atomic_store_n(&kept.count, place, __ATOMIC_RELEASE);
  } else {
    kept.text_bytes = used;
    place = 0;
  }
  errno = saved;
  return place;
}

/* The same, when it is kept now or was before. */
static uint32_t
keep(cl_object object)
{
  uint32_t place = place_of(object);
  if (place != 0 || kept.count == kept.limit)
    return place;
  spin_lock(&kept.places.lock);
  place = place_of(object); /* by another thread meanwhile */
  if (place == 0 && kept.count < kept.limit)
    place = add(object);
  spin_unlock(&kept.places.lock);
  return place;
}

void
kept_objects_add(cl_object object)
{
  keep(object);
}

uint32_t
kept_objects_function(cl_object name)
{
  const uint32_t place = keep(name);
  if (place != 0)
    return FUNCTION_OBJECT_BASE + place;
  __atomic_fetch_add(&kept.lost_calls, 1, __ATOMIC_RELAXED);
  return 0;
}

uint64_t
kept_objects_lost_calls(void)
{
  return __atomic_load_n(&kept.lost_calls, __ATOMIC_RELAXED);
}

void
kept_objects_forget_lost_calls(void)
{
  __atomic_store_n(&kept.lost_calls, 0, __ATOMIC_RELAXED);
}

uint32_t
kept_objects_in_tree(uint32_t number)
{
  const uint32_t place = number - FUNCTION_OBJECT_BASE;
  return place <= kept.limit && kept.limit != 0 ? kept.in_tree[place] : 0;
}
