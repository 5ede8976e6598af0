/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_names.c -- see lisp_names.h.
 */
#include "malloc/ecl/lisp_names.h"

#include "code/code_objects.h"
#include "common/system_functions.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/ecl/lisp_calls.h"
#include "malloc/ecl/lisp_heap.h"
#include "malloc/ecl/lisp_runtime.h"
#include "malloc/interpose/interposed.h"
#include "names/table_entries.h"
#include "tree/image.h"
#include "tree/intern_table.h"
#include "tree/shared_table.h"
#include "tree/spin_lock.h"

static struct spin_lock lock; /* of all that follows, for who changes it */
static struct intern_table texts = {.stays = true}; /* read unlocked */
static struct shared_table entries = SHARED_TABLE_EMPTY; /* -> texts */
static struct shared_table functions = SHARED_TABLE_EMPTY;
static struct shared_table starts = SHARED_TABLE_EMPTY; /* of functions */
static struct shared_table classes = SHARED_TABLE_EMPTY;
static struct {
  uint32_t text;
  bool structure;
} class_list[LISP_MORE_MOST + 1];
static uint32_t class_count;

/* Under the lock.  Replaces the value that the key had. */
static void
assign(struct shared_table *table, uint64_t key, uint64_t value)
{
  const struct shared_entry *entry = shared_table_find(table, key);
  if (entry != NULL)
    __atomic_store_n((uint64_t *)(uintptr_t)&entry->value, value,
                     __ATOMIC_RELEASE);
  else
    shared_table_add(table, key, value);
}

/* ---- as text ---- */

/* Its package has it in this table, whatever its name hashes to. */
static bool
is_external(cl_object symbol, cl_object package)
{
  const struct table_entries external = table_entries(package->pack.external);
  for (cl_index i = 0; i < external.count; i++)
    if (external.at[i].value == symbol)
      return true;
  return false;
}

void
lisp_names_print(char text[LISP_NAME_BYTES], cl_object x,
                 enum lisp_named what)
{
  struct lisp_printer out = {.at = text,
                             .room = LISP_NAME_BYTES - 1,
                             .is_external = is_external,
                             .is_lower_case = lisp_runtime.is_lower_case};
  lisp_printer_name(&out, x, what);
  text[out.length < out.room ? out.length : out.room] = '\0';
}

/* ---- functions ---- */

uint32_t
lisp_names_intern(const char *text)
{
  uint32_t number, known;
  spin_lock(&lock);
  known = texts.count;
  number = intern_text(&texts, text);
  if (number > known)
    image_note(NOTE_NAME, SITE_OBJECT | number, 0, 0, text);
  spin_unlock(&lock);
  return number;
}

/* Without the patches a function that is made by LAMBDA has no name. */
uint32_t
lisp_names_number(cl_object name)
{
  char text[LISP_NAME_BYTES] = "(LAMBDA)";
  if (name == OBJNULL || !Null(name))
    lisp_names_print(text, name, NAMED_FUNCTION);
  return lisp_names_intern(text);
}

/* The function of the tree with that number has that name.  Under the lock. */
static void
name_function(uint32_t function, uint32_t name)
{
  assign(&functions, function, name);
  if (image_is_open())
    image_note(NOTE_NAME, function, 0, 0, lisp_names_text(name));
}

/* The C code at `entry' is that of the function with that name, which it gets
 * if it is to show.  It may have been called before that was made known: ECL
 * calls many functions when it begins that it makes Lisp functions later. */
static void
assign_code(uintptr_t entry, uint32_t name)
{
  uint32_t function;
  if (name == 0 || lisp_name_passes_on(lisp_names_text(name)))
    return;
  spin_lock(&lock);
  assign(&entries, entry, name);
  spin_unlock(&lock);
  function = function_number_known(&malloc_monitor.functions, entry);
  if (function != 0) {
    spin_lock(&lock);
    name_function(function, name);
    spin_unlock(&lock);
  }
}

static void
name_code(uintptr_t entry, cl_object name)
{
  if (entry == 0 || !lisp_runtime.hooked)
    return;
  malloc_monitor_inside++;
  assign_code(entry, lisp_names_number(name));
  malloc_monitor_inside--;
}

bool
lisp_names_nameless(uintptr_t entry, const char *text)
{
  uint32_t name;
  if (lisp_names_of_code(entry) != 0)
    return false;
  spin_lock(&lock);
  name = intern_text(&texts, text);
  spin_unlock(&lock);
  assign_code(entry, name);
  return lisp_names_of_code(entry) != 0;
}

/* A function of the tree has got its number. */
static bool
given(uint32_t number, uintptr_t code)
{
  const uint64_t name = shared_table_value(&entries, code);
  spin_lock(&lock);
  assign(&starts, number, code);
  if (name != 0)
    name_function(number, (uint32_t)name);
  spin_unlock(&lock);
  code_objects_note(code);
  return true;
}

uintptr_t
lisp_names_start(uint32_t function)
{
  return function == 0 ? 0 : (uintptr_t)shared_table_value(&starts, function);
}

uint32_t
lisp_names_of_code(uintptr_t entry)
{
  return (uint32_t)shared_table_value(&entries, entry);
}

const char *
lisp_names_text(uint32_t name)
{
  return intern_table_text(&texts, name);
}

void
lisp_names_open(void)
{
  malloc_monitor.functions.given = given;
}

void
lisp_names_forked(void)
{
  lock.holder = 0;
}

/* ---- where they are made ---- */

static void
begin(void)
{
  if (!__atomic_load_n(&lisp_runtime.found, __ATOMIC_ACQUIRE))
    lisp_runtime_find();
}

/* The function that begins at `code' got the name in an object that was made
 * by code which returns to `site'. */
static void
note_object(uintptr_t code, cl_object name, uintptr_t site)
{
  begin();
  if (name != OBJNULL && !Null(name))
    name_code(code, name);
  else
    lisp_calls_made(code, site);
}

#define SITE ((uintptr_t)__builtin_return_address(0))

EXPORT cl_object
ecl_make_cfun(cl_objectfn_fixed code, cl_object name, cl_object block,
              int arguments)
{
  note_object((uintptr_t)code, name, SITE);
  return lisp_runtime.make_cfun(code, name, block, arguments);
}

EXPORT cl_object
ecl_make_cfun_va(cl_objectfn code, cl_object name, cl_object block,
                 int arguments)
{
  note_object((uintptr_t)code, name, SITE);
  return lisp_runtime.make_cfun_va(code, name, block, arguments);
}

EXPORT cl_object
ecl_make_cclosure_va(cl_objectfn code, cl_object env, cl_object block,
                     int arguments)
{
  note_object((uintptr_t)code, ECL_NIL, SITE);
  return lisp_runtime.make_cclosure_va(code, env, block, arguments);
}

uintptr_t
lisp_names_function_code(cl_object function)
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

/* Whether the function was made with that name. */
static bool
is_own_name(cl_object function, cl_object name)
{
  return function->d.t != t_cclosure && function->cfun.name == name;
}

/* All arguments are in registers, those that are missing too.  Code that has
 * a name keeps it, for another function may be defined as it; but a symbol
 * may be external now that was not when the function was made. */
cl_object si_fset_of(cl_narg narg, cl_object name, cl_object function,
                     cl_object macro, cl_object pprint) __asm__("si_fset");

EXPORT cl_object
si_fset_of(cl_narg narg, cl_object name, cl_object function, cl_object macro,
           cl_object pprint)
{
  const uintptr_t code = lisp_names_function_code(function);
  begin();
  if (code != 0 && (shared_table_value(&entries, code) == 0 ||
                    is_own_name(function, name)))
    name_code(code, name);
  return lisp_runtime.fset(narg, name, function, macro, pprint);
}

/* ---- classes ---- */

static void
note_class(uint32_t number)
{
  image_note(NOTE_CLASS, number, class_list[number].structure, 0,
             intern_table_text(&texts, class_list[number].text));
}

/* Under the lock. */
static uint32_t
add_class(cl_object class, const char *text)
{
  const uint64_t key = (uint64_t)(uintptr_t) class;
  uint32_t number = (uint32_t)shared_table_value(&classes, key), name;
  if (number != 0 || class_count == LISP_MORE_MOST ||
      (name = intern_text(&texts, text)) == 0)
    return number;
  number = ++class_count;
  class_list[number].text = name;
  class_list[number].structure = lisp_printer_is_structure(class);
  note_class(number);
  shared_table_add(&classes, key, number);
  return number;
}

uint32_t
lisp_names_class(cl_object class)
{
  const uint64_t key = (uint64_t)(uintptr_t)class;
  char text[LISP_NAME_BYTES];
  uint32_t number;
  if (class == OBJNULL || ECL_IMMEDIATE(class) || !lisp_runtime.hooked)
    return 0;
  number = (uint32_t)shared_table_value(&classes, key);
  if (__builtin_expect(number != 0, 1))
    return number;
  lisp_names_print(text, class, NAMED_CLASS);
  malloc_monitor_inside++;
  spin_lock(&lock);
  number = add_class(class, text);
  spin_unlock(&lock);
  malloc_monitor_inside--;
  return number;
}

/* ---- another image ---- */

void
lisp_names_note(void)
{
  const uint32_t numbers = malloc_monitor.functions.last;
  spin_lock(&lock);
  for (uint32_t i = 1; i <= texts.count; i++)
    image_note(NOTE_NAME, SITE_OBJECT | i, 0, 0, lisp_names_text(i));
  for (uint32_t i = 1; i <= numbers; i++) {
    const uint32_t name = (uint32_t)shared_table_value(&functions, i);
    if (name != 0)
      image_note(NOTE_NAME, i, 0, 0, lisp_names_text(name));
  }
  for (uint32_t i = 1; i <= class_count; i++)
    note_class(i);
  spin_unlock(&lock);
}
