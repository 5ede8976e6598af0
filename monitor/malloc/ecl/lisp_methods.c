/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_methods.c -- see lisp_methods.h.
 *
 * Slots are found by name, as a program may have classes of its own for
 * generic functions and methods.  The function of a method is a closure of
 * CLOS around that which has the code.  The collector is kept from its work
 * meanwhile, so that nothing is freed that another thread drops.
 */
#include "malloc/ecl/lisp_methods.h"

#include <stdio.h>
#include <string.h>

#include <gc/gc.h>

#include "malloc/count/malloc_monitor.h"
#include "malloc/ecl/lisp_names.h"
#include "malloc/ecl/lisp_runtime.h"
#include "names/table_entries.h"

static bool
is_a(cl_object x, cl_type type)
{
  return x != OBJNULL && !ECL_IMMEDIATE(x) && x->d.t == (int8_t)type;
}

/* ---- slots ---- */

static bool
is_named(cl_object symbol, const char *name)
{
  const size_t length = strlen(name);
  return is_a(symbol, t_symbol) && is_a(symbol->symbol.name, t_base_string) &&
         symbol->symbol.name->base_string.fillp == length &&
         memcmp(symbol->symbol.name->base_string.self, name, length) == 0;
}

/* What the slot called `name' has; OBJNULL: there is none. */
static cl_object
slot(cl_object object, const char *name)
{
  cl_index i = 0;
  if (!is_a(object, t_instance))
    return OBJNULL;
  for (cl_object l = object->instance.slotds; ECL_CONSP(l);
       l = ECL_CONS_CDR(l), i++) {
    const cl_object definition = ECL_CONS_CAR(l);
    if (is_a(definition, t_instance) && definition->instance.length > 0 &&
        is_named(definition->instance.slots[0], name))
      return i < object->instance.length ? object->instance.slots[i]
                                         : OBJNULL;
  }
  return OBJNULL;
}

/* ---- names ---- */

struct name {
  char text[LISP_NAME_BYTES];
  size_t length;
};

static void
add(struct name *name, const char *text)
{
  const size_t room = sizeof name->text - name->length;
  const int n = snprintf(name->text + name->length, room, "%s", text);
  name->length += (size_t)n < room ? (size_t)n : room - 1;
}

static void
add_object(struct name *name, cl_object object)
{
  char text[LISP_NAME_BYTES];
  lisp_names_print(text, object, NAMED_CLASS);
  add(name, text);
}

/* A class, or what an argument is to be equal to. */
static void
add_specializer(struct name *name, cl_object specializer)
{
  const cl_object object = slot(specializer, "OBJECT");
  if (object == OBJNULL) {
    add_object(name, specializer);
    return;
  }
  add(name, "(EQL ");
  add_object(name, object);
  add(name, ")");
}

static void
describe(struct name *name, cl_object generic, cl_object method)
{
  const char *blank = "";
  name->length = 0;
  add(name, "(METHOD ");
  add_object(name, slot(generic, "NAME"));
  for (cl_object l = slot(method, "QUALIFIERS"); ECL_CONSP(l);
       l = ECL_CONS_CDR(l)) {
    add(name, " ");
    add_object(name, ECL_CONS_CAR(l));
  }
  add(name, " (");
  for (cl_object l = slot(method, "SPECIALIZERS"); ECL_CONSP(l);
       l = ECL_CONS_CDR(l), blank = " ") {
    add(name, blank);
    add_specializer(name, ECL_CONS_CAR(l));
  }
  add(name, "))");
}

/* ---- functions ---- */

/* A closure's code may be that of many methods: of none. */
static uintptr_t
code_of(cl_object function)
{
  return is_a(function, t_cclosure) ? 0 : lisp_names_function_code(function);
}

static void
name_method(cl_object generic, cl_object method)
{
  const cl_object function = slot(method, "THE-FUNCTION");
  struct name name;
  uintptr_t code = code_of(function);
  if (is_a(function, t_cclosure))
    for (cl_object l = function->cclosure.env; code == 0 && ECL_CONSP(l);
         l = ECL_CONS_CDR(l))
      code = code_of(ECL_CONS_CAR(l));
  if (code == 0)
    return;
  describe(&name, generic, method);
  lisp_names_nameless(code, name.text);
}

static void
name_methods(cl_object function)
{
  if (is_a(function, t_instance) && function->instance.isgf)
    for (cl_object l = slot(function, "METHODS"); ECL_CONSP(l);
         l = ECL_CONS_CDR(l))
      name_method(function, ECL_CONS_CAR(l));
}

/* What expands a type has the property of its name, in a list of all that are
 * ECL's own. */
static void
name_expander(cl_object symbol, cl_object properties)
{
  struct name name = {.length = 0};
  cl_object l = properties;
  uintptr_t code;
  while (ECL_CONSP(l) && !is_named(ECL_CONS_CAR(l), "DEFTYPE-DEFINITION"))
    l = ECL_CONSP(ECL_CONS_CDR(l)) ? ECL_CONS_CDR(ECL_CONS_CDR(l)) : ECL_NIL;
  if (!ECL_CONSP(l) || !ECL_CONSP(ECL_CONS_CDR(l)))
    return;
  code = code_of(ECL_CONS_CAR(ECL_CONS_CDR(l)));
  if (code == 0 || !is_a(symbol, t_symbol))
    return;
  add(&name, "(DEFTYPE ");
  add_object(&name, symbol);
  add(&name, ")");
  lisp_names_nameless(code, name.text);
}

/* ---- byte-compiled methods ---- */

static bool
has_code(cl_object function, cl_object code)
{
  return function == code ||
         (is_a(function, t_bclosure) && function->bclosure.code == code);
}

/* The method of `generic' with that code; OBJNULL: there is none. */
static cl_object
find_method(cl_object generic, cl_object code)
{
  for (cl_object l = slot(generic, "METHODS"); ECL_CONSP(l);
       l = ECL_CONS_CDR(l)) {
    const cl_object function = slot(ECL_CONS_CAR(l), "THE-FUNCTION");
    bool found = has_code(function, code);
    if (is_a(function, t_cclosure))
      for (cl_object e = function->cclosure.env; !found && ECL_CONSP(e);
           e = ECL_CONS_CDR(e))
        found = has_code(ECL_CONS_CAR(e), code);
    if (found)
      return ECL_CONS_CAR(l);
  }
  return OBJNULL;
}

/* What is defined as the name SYMBOL, or (SETF SYMBOL). */
static cl_object
definition_of(cl_object name)
{
  const bool setf = name != OBJNULL && ECL_CONSP(name) &&
                    is_named(ECL_CONS_CAR(name), "SETF") &&
                    ECL_CONSP(ECL_CONS_CDR(name));
  const cl_object symbol = setf ? ECL_CONS_CAR(ECL_CONS_CDR(name)) : name;
  cl_object pair = OBJNULL;
  if (!is_a(symbol, t_symbol))
    return OBJNULL;
  if (!setf)
    return ECL_SYM_FUN(symbol);
#if ECL_VERSION_NUMBER >= 240510
  pair = symbol->symbol.sfdef;
#else
  const struct table_entries entries =
      table_entries(lisp_runtime.core->setf_definitions);
  for (cl_index i = 0; i < entries.count; i++)
    if (entries.at[i].key == symbol)
      pair = entries.at[i].value;
#endif
  return pair != OBJNULL && ECL_CONSP(pair) ? ECL_CONS_CAR(pair) : pair;
}

uint32_t
lisp_methods_number(cl_object bytecodes)
{
  const cl_object generic = definition_of(bytecodes->bytecodes.name);
  const cl_object method = is_a(generic, t_instance) && generic->instance.isgf
                               ? find_method(generic, bytecodes)
                               : OBJNULL;
  struct name name;
  if (method == OBJNULL)
    return lisp_names_number(bytecodes->bytecodes.name);
  describe(&name, generic, method);
  return lisp_names_intern(name.text);
}

/* ---- all of them ---- */

static void
each(cl_object table, void (*function)(cl_object key, cl_object value))
{
  const struct table_entries entries = table_entries(table);
  for (cl_index i = 0; i < entries.count; i++)
    if (entries.at[i].key != OBJNULL)
      function(entries.at[i].key, entries.at[i].value);
}

/* The function of (SETF symbol) is the first of a pair, or by itself. */
static void
name_of_setf(cl_object unused, cl_object definition)
{
  (void)unused;
  name_methods(ECL_CONSP(definition) ? ECL_CONS_CAR(definition) : definition);
}

static void
name_of_symbol(cl_object unused, cl_object symbol)
{
  (void)unused;
  if (!is_a(symbol, t_symbol))
    return;
  name_methods(ECL_SYM_FUN(symbol));
#if ECL_VERSION_NUMBER >= 240510
  name_of_setf(symbol, symbol->symbol.sfdef);
#endif
}

static void *
name_all(void *unused)
{
  const struct cl_core_struct *const core = lisp_runtime.core;
  for (cl_object l = core->packages; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    const cl_object package = ECL_CONS_CAR(l);
    if (is_a(package, t_package)) {
      each(package->pack.internal, name_of_symbol);
      each(package->pack.external, name_of_symbol);
    }
  }
  each(core->system_properties, name_expander);
#if ECL_VERSION_NUMBER < 240510
  each(core->setf_definitions, name_of_setf);
#endif
  return unused;
}

void
lisp_methods_name(void)
{
  if (lisp_runtime.core == NULL || !lisp_runtime.hooked)
    return;
  malloc_monitor_inside++;
  GC_call_with_alloc_lock(name_all, NULL);
  malloc_monitor_inside--;
}
