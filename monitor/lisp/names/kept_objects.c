/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.c -- Lisp objects that stay alive, and their names.
 *
 * Model.  An array of objects in the order of their coming, and a table from
 * the object to its place there.  The used part of the array is what the
 * collector is given as a root.  A name is printed and noted when its object
 * comes: later its symbol may have lost its package.  A class may get another
 * name, so the names of classes are printed again for each profile.
 *
 * Nothing is ever taken out.  When the array is full, new objects are not
 * kept: a byte-compiled function is then left out of the chain, which is
 * counted, and a class stays without a name, since it may be gone when a
 * profile is made. */
#include "lisp/names/kept_objects.h"

#include <errno.h>
#include <gc/gc_mark.h>

#include "base/sizes.h"
#include "common/phase.h"
#include "image/arena.h"
#include "image/image.h"
#include "tables/shared_table.h"
#include "lisp/names/lisp_printer.h"
#include "tree/context_tree.h"

static struct {
  struct shared_table places; /* of objects, from 1 on; its lock is that of all
                                 that follows */
  struct kept_object {
    cl_object object;
    uint32_t in_tree; /* of a function: see kept_objects_in_tree */
  } *objects;         /* by place; [0] is none */
  uint32_t count;
  struct lisp_printer printer;
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
kept_objects_open(void)
{
  struct arena arena;
  if (arena_reserve(&arena,
                    (SIZE_KEPT_OBJECTS + 1) * sizeof *kept.objects) != 0)
    return -1;
  kept.objects = arena.base;
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

/* Returns the object's name, valid until the next; NULL: no memory. */
static const char *
print(cl_object object)
{
  lisp_printer_name(&kept.printer, object,
                    is_class(object) ? NAMED_CLASS : NAMED_FUNCTION);
  return lisp_printer_end(&kept.printer);
}

/* Returns whether it is (FLET CALL-NEXT-METHOD :IN method), the local
 * function of a method, which only passes its arguments on. */
static bool
is_next_method(cl_object name)
{
  if (!ECL_CONSP(name) || !ECL_CONSP(ECL_CONS_CDR(name)))
    return false;
  return lisp_is_named(ECL_CONS_CAR(ECL_CONS_CDR(name)), "CALL-NEXT-METHOD");
}

static void
note_class(struct note_list *notes, cl_object class)
{
  const char *const name = print(class);
  if (name != NULL)
    note_add(notes, NOTE_CLASS, (uintptr_t)class,
             lisp_printer_is_structure(class), 0, name);
}

/* Notes a new object, and sets `in_tree' of a function. */
static void
name_object(cl_object object, uint32_t place)
{
  const uint32_t number = FUNCTION_OBJECT_BASE + place;
  const bool hidden = is_next_method(object);
  const char *name;
  if (is_class(object)) {
    note_class(NULL, object);
    return;
  }
  name = print(object);
  if (name == NULL)
    return;
  image_note(NOTE_FUNCTION, number,
             NOTE_CALLS_KNOWN | (hidden ? NOTE_RUNTIME : 0), 0, NULL);
  image_note(NOTE_NAME, number, 0, 0, name);
  kept.objects[place].in_tree =
      (uint32_t)phase_role_of(name, "", false) << FUNCTION_ROLE_SHIFT |
      (hidden ? FUNCTION_HIDDEN : 0);
}

/* Returns true if the name of the class has lost its package: then the name
 * that was noted before is kept. */
static bool
has_lost_name(cl_object class)
{
  cl_object name = ECL_CLASS_NAME(class), package;
  if (ecl_t_of(name) != t_symbol || Null(name))
    return false;
  package = name->symbol.hpack;
  return package == OBJNULL || Null(package) || Null(package->pack.name);
}

void
kept_objects_note_classes(struct note_list *notes)
{
  const uint32_t count = __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 1; i <= count; i++) {
    const cl_object object = kept.objects[i].object;
    if (!is_class(object) || has_lost_name(object))
      continue;
    spin_lock(&kept.places.lock);
    note_class(notes, object);
    spin_unlock(&kept.places.lock);
  }
}

/* ---- objects ---- */

/* Returns the place of `object', or 0. */
static uint32_t
place_of(cl_object object)
{
  return (uint32_t)shared_table_value(&kept.places, (uintptr_t)object);
}

/* Adds the object, which is new.  Returns its place; 0 without memory.  Keeps
 * errno. */
static uint32_t
add(cl_object object)
{
  const int saved = errno;
  uint32_t place = kept.count + 1;
  kept.objects[place] = (struct kept_object){.object = object};
  name_object(object, place);
  if (shared_table_add(&kept.places, (uintptr_t)object, place))
    __atomic_store_n(&kept.count, place, __ATOMIC_RELEASE);
  else
    place = 0;
  errno = saved;
  return place;
}

uint32_t
kept_objects_add(cl_object object)
{
  uint32_t place = place_of(object);
  if (place != 0 || kept.count == SIZE_KEPT_OBJECTS)
    return place;
  spin_lock(&kept.places.lock);
  place = place_of(object); /* by another thread meanwhile */
  if (place == 0 && kept.count < SIZE_KEPT_OBJECTS)
    place = add(object);
  spin_unlock(&kept.places.lock);
  return place;
}

uint32_t
kept_objects_function(cl_object name)
{
  const uint32_t place = kept_objects_add(name);
  return place == 0 ? 0 : FUNCTION_OBJECT_BASE + place;
}

uint32_t
kept_objects_in_tree(uint32_t number)
{
  const uint32_t place = number - FUNCTION_OBJECT_BASE;
  return place <= SIZE_KEPT_OBJECTS && kept.objects != NULL
             ? kept.objects[place].in_tree
             : 0;
}
