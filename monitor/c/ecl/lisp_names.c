/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/ecl/lisp_names.h"

#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_heap.h"
#include "c/ecl/lisp_runtime.h"
#include "c/interpose/interposed.h"
#include "code/code_objects.h"
#include "code/frame_rule.h"
#include "common/system_functions.h"
#include "image/image.h"
#include "image/intern_table.h"
#include "image/shared_table.h"
#include "image/spin_lock.h"
#include "lisp/names/classify.h"

static struct spin_lock lock; /* for who adds to the tables */
static struct intern_table texts = INTERN_TABLE_IN_PLACE; /* read unlocked */
static struct shared_table classes = SHARED_TABLE_EMPTY; /* their numbers */
static struct shared_table methods = SHARED_TABLE_EMPTY; /* byte-compiled */
static struct intern_table class_names; /* the number of the text, times 2; 1
                                            more for that of a structure */
static struct lisp_function no_function;
static struct {
  struct arena arena; /* struct lisp_function by number; does not move */
  uint32_t room;
} functions = {.arena = {.most = (FUNCTION_NUMBER + 1) * sizeof no_function}};

/* ---- as text ---- */

uint32_t
lisp_names_intern(const char *text)
{
  spin_lock(&lock);
  uint32_t known = texts.count;
  uint32_t number = intern_text(&texts, text);
  if (number > known)
    image_note(NOTE_NAME, SITE_OBJECT | number, 0, 0, text);
  spin_unlock(&lock);
  return number;
}

/* Without the patches a function that is made by LAMBDA has no name. */
static uint32_t
number_of_name(cl_object name)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  if (name != OBJNULL && Null(name))
    lisp_printer_text(&out, "(LAMBDA)");
  else
    lisp_printer_name(&out, name, NAMED_FUNCTION);
  return lisp_names_intern(lisp_printer_end(&out));
}

const char *
lisp_names_text(uint32_t name)
{
  return name == 0 ? NULL : intern_table_text(&texts, name);
}

/* ---- functions ---- */

struct lisp_function *
lisp_function_at(uint32_t number)
{
  number &= FUNCTION_NUMBER;
  return number == 0 ||
                 number >= __atomic_load_n(&functions.room, __ATOMIC_ACQUIRE)
             ? &no_function
             : (struct lisp_function *)functions.arena.base + number;
}

/* A function gets a number. */
static bool
note_new_number(uint32_t number, uintptr_t code)
{
  const uint32_t room = 2 * number > 4096 ? 2 * number : 4096;
  if (number >= functions.room) {
    if (arena_grow(&functions.arena, room * sizeof no_function) != 0)
      return false;
    __atomic_store_n(&functions.room, room, __ATOMIC_RELEASE);
  }
  lisp_function_at(number)->start = code;
  code_objects_note(code);
  return true;
}

/* Another thread may have been at a name or a number. */
void
lisp_names_forked(void)
{
  lock.holder = 0;
  malloc_monitor.functions.table.lock.holder = 0;
}

/* It may have been called before: ECL calls many functions when it begins
 * that it makes Lisp functions later. */
bool
lisp_function_name(uint32_t number, uint32_t name)
{
  struct lisp_function *const f = lisp_function_at(number);
  if (f == &no_function || name == 0 ||
      lisp_name_passes_on(lisp_names_text(name)))
    return false;
  __atomic_store_n(&f->name, name, __ATOMIC_RELEASE);
  image_note(NOTE_NAME, number, 0, 0, lisp_names_text(name));
  return true;
}

uintptr_t
lisp_function_code(cl_object function)
{
  if (function == OBJNULL || ECL_IMMEDIATE(function))
    return 0;
  switch (function->d.t) {
  case t_cfun:
    return (uintptr_t)function->cfun.entry;
  case t_cfunfixed:
    return (uintptr_t)function->cfunfixed.entry_fixed;
  case t_cclosure:
    return (uintptr_t)function->cclosure.entry;
  default:
    return 0;
  }
}

/* ---- byte-compiled functions ---- */

/* Of a method: the number of its name, above which are bits of the name that
 * the function itself has.  Another function at its address has another. */
#define METHOD(bytecodes, name)                                              \
  ((uint64_t)(uintptr_t)(bytecodes)->bytecodes.name << 32 | (name))

void
lisp_bytecodes_name(cl_object bytecodes, uint32_t name)
{
  spin_lock(&lock);
  struct shared_entry *const known = (struct shared_entry *)shared_table_find(
      &methods, (uintptr_t)bytecodes);
  if (known != NULL)
    __atomic_store_n(&known->value, METHOD(bytecodes, name),
                     __ATOMIC_RELEASE);
  else
    shared_table_add(&methods, (uintptr_t)bytecodes, METHOD(bytecodes, name));
  spin_unlock(&lock);
}

uint32_t
lisp_bytecodes_number(cl_object bytecodes)
{
  const uint64_t known = shared_table_value(&methods, (uintptr_t)bytecodes);
  const uint32_t name = (uint32_t)known;
  return name != 0 && known == METHOD(bytecodes, name)
             ? name
             : number_of_name(bytecodes->bytecodes.name);
}

/* ---- where they are made ---- */

/* The function that begins at `code' got the name in an object that was made
 * by code which returns to `site', or got no name.  A function that has one
 * keeps it, except if the name is `new'.  A maker of structures is an
 * allocator, which tables do not show. */
static void
note_object(uintptr_t code, cl_object name, bool new, uintptr_t site)
{
  lisp_runtime_begin();
  if (!lisp_runtime.hooked || code == 0 ||
      code == (uintptr_t)si_make_structure)
    return;
  malloc_monitor_inside++;
  uint32_t number = function_number_of_start(&malloc_monitor.functions, code);
  struct lisp_function *f = lisp_function_at(number);
  if (name != OBJNULL && !Null(name) && (new || f->name == 0))
    lisp_function_name(number, number_of_name(name));
  else if (f != &no_function && f->name == 0 && f->maker == 0)
    f->maker = function_number_of_start(&malloc_monitor.functions,
                                        frame_rule_function(site - 1));
  malloc_monitor_inside--;
}

#define SITE ((uintptr_t)__builtin_return_address(0))

#define MAKER(maker, function, its_name)                                     \
  EXPORT cl_object maker(function code, cl_object name, cl_object block,     \
                         int arguments)                                      \
  {                                                                          \
    note_object((uintptr_t)code, its_name, true, SITE);                      \
    return REAL(maker)(code, name, block, arguments);                        \
  }

MAKER(ecl_make_cfun, cl_objectfn_fixed, name)
MAKER(ecl_make_cfun_va, cl_objectfn, name)
MAKER(ecl_make_cclosure_va, cl_objectfn, ECL_NIL) /* the second is its
                                                     environment */

/* All arguments are in registers, those that are missing too.  Code that has
 * a name keeps it, for another function may be defined as it; but a symbol
 * may be external now that was not when the function was made. */
cl_object si_fset_of(cl_narg narg, cl_object name, cl_object function,
                     cl_object macro, cl_object pprint) __asm__("si_fset");

EXPORT cl_object
si_fset_of(cl_narg narg, cl_object name, cl_object function, cl_object macro,
           cl_object pprint)
{
  const uintptr_t code = lisp_function_code(function);
  note_object(code, name,
              code != 0 && function->d.t != t_cclosure &&
                  function->cfun.name == name,
              SITE);
  return REAL(si_fset)(narg, name, function, macro, pprint);
}

/* ---- classes ---- */

static uint32_t
add_class(cl_object class)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  lisp_printer_name(&out, class, NAMED_CLASS);
  const uint64_t name = lisp_names_intern(lisp_printer_end(&out)),
                 structure = lisp_printer_is_structure(class);
  uint32_t number = 0;
  spin_lock(&lock);
  const uint32_t known = class_names.count;
  if (name != 0 && known < LISP_CLASSES)
    number = intern_key(&class_names, name << 1 | structure);
  if (number > known)
    image_note(NOTE_CLASS, number, structure, 0, text);
  if (number != 0 && shared_table_find(&classes, (uintptr_t)class) == NULL)
    shared_table_add(&classes, (uintptr_t)class, number);
  spin_unlock(&lock);
  return number;
}

uint32_t
lisp_names_class(cl_object class)
{
  if (class == OBJNULL || ECL_IMMEDIATE(class) || !lisp_runtime.hooked)
    return 0;
  uint32_t number = (uint32_t)shared_table_value(&classes, (uintptr_t)class);
  if (__builtin_expect(number != 0, 1))
    return number;
  malloc_monitor_inside++;
  number = add_class(class);
  malloc_monitor_inside--;
  return number;
}

/* ---- all of it ---- */

void
lisp_names_open(void)
{
  malloc_monitor.functions.on_new_number = note_new_number;
  image_note(
      NOTE_COARSE, 0, 0, 0,
      "This ECL was not built by mprof: chains can lack functions that "
      "are inlined or end in a call");
  classify_note_types();
}
