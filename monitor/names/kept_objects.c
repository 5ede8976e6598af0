/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.c -- Lisp objects that stay alive, and their printed names.
 *
 * Model.  An array of objects in the order of their coming, and a table from
 * the object to its place there.  The used part of the array is what the
 * collector is given as a root, and what names are printed from.  Names are
 * printed outside the hook, since they are from malloc.
 *
 * Nothing is ever taken out.  When the array is full, new objects are not
 * kept: a byte-compiled function is then left out of the chain, which is
 * counted, and a class has no name, since by the time that names are printed
 * it may be gone.
 */
#include "names/kept_objects.h"

#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stdlib.h>

#include "names/lisp_name.h"
#include "names/lisp_printer.h"
#include "tree/arena.h"
#include "tree/image.h"
#include "tree/note_list.h"
#include "tree/shared_table.h"

static struct {
  struct shared_table places; /* of objects, from 1 on */
  cl_object *objects;         /* by place; [0] is none */
  char **names;               /* as printed; NULL: not yet */
  unsigned char *roles;       /* one more than that of a function; 0: not
                                 looked for yet */
  uint32_t count, limit, printed;
  uint32_t noted;      /* names that the image has as they were printed */
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
  if (arena_reserve(&arena,
                    (limit + (size_t)1) *
                        (sizeof *kept.objects + sizeof *kept.names + 1)) != 0)
    return -1;
  kept.objects = arena.base;
  kept.names = (char **)(kept.objects + limit + 1);
  kept.roles = (unsigned char *)(kept.names + limit + 1);
  kept.limit = limit;
  kept.next_push_other_roots = GC_get_push_other_roots();
  GC_set_push_other_roots(push_kept_objects);
  return 0;
}

/* The place of `object', or 0. */
static uint32_t
place_of(cl_object object)
{
  return (uint32_t)shared_table_value(&kept.places, (uintptr_t)object);
}

/* Is it (FLET CALL-NEXT-METHOD :IN method)? */
static bool
is_next_method(cl_object name)
{
  if (!ECL_CONSP(name) || !ECL_CONSP(ECL_CONS_CDR(name)))
    return false;
  return lisp_is_named(ECL_CONS_CAR(ECL_CONS_CDR(name)), "CALL-NEXT-METHOD");
}

static bool
is_class(cl_object object)
{
  return ecl_t_of(object) == t_instance;
}

static void
note(struct note_list *notes, uint32_t place, const char *name)
{
  const cl_object object = kept.objects[place];
  const uint32_t number = FUNCTION_OBJECT_BASE + place;
  if (is_class(object))
    note_add(notes, NOTE_CLASS, (uintptr_t)object,
             lisp_printer_is_structure(object), 0, name);
  else {
    note_add(notes, NOTE_FUNCTION, number,
             NOTE_CALLS_KNOWN | (is_next_method(object) ? NOTE_RUNTIME : 0),
             0, NULL);
    note_add(notes, NOTE_NAME, number, 0, 0, name);
  }
}

/* Note a name before there is time to print it as long as it may be. */
static void
note_at_once(uint32_t place)
{
  enum { NAME_BYTES = 400 };
  char name[NAME_BYTES];
  struct lisp_printer printer = {.at = name,
                                 .room = sizeof name - 1};
  if (!image_is_open())
    return;
  lisp_printer_name(&printer, kept.objects[place],
                    is_class(kept.objects[place]) ? NAMED_CLASS
                                                  : NAMED_FUNCTION);
  note(NULL, place, lisp_printer_end(&printer));
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
  if (place == 0 && kept.count < kept.limit) {
    kept.objects[kept.count + 1] = object;
    if (shared_table_add(&kept.places, (uintptr_t)object, kept.count + 1)) {
      place = kept.count + 1;
      note_at_once(place);
      __atomic_store_n(&kept.count, place, __ATOMIC_RELEASE);
    }
  }
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

enum phase_role
kept_objects_role(uint32_t number)
{
  const uint32_t place = number - FUNCTION_OBJECT_BASE;
  if (place == 0 || place > __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE))
    return ROLE_NEUTRAL;
  if (kept.roles[place] == 0)
    kept.roles[place] =
        (unsigned char)(lisp_name_role(kept.objects[place]) + 1);
  return (enum phase_role)(kept.roles[place] - 1);
}

bool
kept_objects_is_next_method(uint32_t number)
{
  const uint32_t place = number - FUNCTION_OBJECT_BASE;
  return place != 0 &&
         place <= __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE) &&
         is_next_method(kept.objects[place]);
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

static const char *
name_at(uint32_t place)
{
  if (kept.names[place] == NULL)
    kept.names[place] = lisp_name(
        kept.objects[place],
        is_class(kept.objects[place]) ? NAMED_CLASS : NAMED_FUNCTION);
  return kept.names[place];
}

void
kept_objects_print_names(bool classes)
{
  const uint32_t count = __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE);
  for (uint32_t i = classes ? 1 : kept.printed + 1; i <= count; i++) {
    const cl_object object = kept.objects[i];
    if (kept.names[i] != NULL && is_class(object) &&
        !has_lost_name(object)) {
      free(kept.names[i]);
      kept.names[i] = NULL;
    }
    name_at(i);
  }
  kept.printed = count;
}

void
kept_objects_note(bool all)
{
  const uint32_t printed = kept.printed;
  for (uint32_t i = all ? 1 : kept.noted + 1; i <= printed; i++)
    if (kept.names[i] != NULL)
      note(NULL, i, kept.names[i]);
  kept.noted = printed;
}

/* Its name was printed before. */
static void
note_printed(struct note_list *notes, uint32_t place)
{
  const char *const name = name_at(place);
  if (name != NULL)
    note(notes, place, name);
  else
    notes->failed = true;
}

void
kept_objects_note_function(struct note_list *notes, uint32_t number)
{
  note_printed(notes, number - FUNCTION_OBJECT_BASE);
}

void
kept_objects_note_class(struct note_list *notes, cl_object clas)
{
  const uint32_t place = place_of(clas);
  if (place != 0)
    note_printed(notes, place);
}

bool
kept_objects_names_wait(void)
{
  return kept.printed < __atomic_load_n(&kept.count, __ATOMIC_ACQUIRE);
}
