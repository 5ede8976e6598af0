/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_methods.c -- names of the functions of methods, and of those that
 * expand types.  Calls no function of ECL.
 *
 * Slots are found by name, as a program may have classes of its own for
 * generic functions and methods.  The function of a method is a closure of
 * CLOS around that which has the code.  The collector is kept from its work
 * meanwhile, so that nothing is freed that another thread drops.
 */
#include <gc/gc.h>

#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "lisp/names/table_entries.h"

/* What the slot called `name' has; OBJNULL: there is none. */
static cl_object
slot(cl_object object, const char *name)
{
  cl_index i = 0;
  if (!lisp_is_of(object, t_instance))
    return OBJNULL;
  for (cl_object l = object->instance.slotds; ECL_CONSP(l);
       l = ECL_CONS_CDR(l), i++) {
    const cl_object definition = ECL_CONS_CAR(l);
    if (lisp_is_of(definition, t_instance) &&
        definition->instance.length > 0 &&
        lisp_is_named(definition->instance.slots[0], name))
      return i < object->instance.length ? object->instance.slots[i]
                                         : OBJNULL;
  }
  return OBJNULL;
}

/* ---- methods ---- */

/* A class, or what an argument is to be equal to. */
static void
put_specializer(struct lisp_printer *out, cl_object specializer)
{
  const cl_object object = slot(specializer, "OBJECT");
  if (object == OBJNULL) {
    lisp_printer_name(out, specializer, NAMED_CLASS);
    return;
  }
  lisp_printer_text(out, "(EQL ");
  lisp_printer_name(out, object, NAMED_CLASS);
  lisp_printer_text(out, ")");
}

static uint32_t
method_name(cl_object generic, cl_object method)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  const char *blank = "";
  lisp_printer_text(&out, "(METHOD ");
  lisp_printer_name(&out, slot(generic, "NAME"), NAMED_CLASS);
  for (cl_object l = slot(method, "QUALIFIERS"); ECL_CONSP(l);
       l = ECL_CONS_CDR(l)) {
    lisp_printer_text(&out, " ");
    lisp_printer_name(&out, ECL_CONS_CAR(l), NAMED_CLASS);
  }
  lisp_printer_text(&out, " (");
  for (cl_object l = slot(method, "SPECIALIZERS"); ECL_CONSP(l);
       l = ECL_CONS_CDR(l), blank = " ") {
    lisp_printer_text(&out, blank);
    put_specializer(&out, ECL_CONS_CAR(l));
  }
  lisp_printer_text(&out, "))");
  return lisp_names_intern(&out);
}

/* What has the code of the method: a byte-compiled function if that is
 * `bytecodes', else a compiled one; OBJNULL: nothing.  A closure's code may
 * be that of many methods. */
static cl_object
method_code(cl_object method, cl_object bytecodes)
{
  cl_object f = slot(method, "THE-FUNCTION");
  cl_object others = lisp_is_of(f, t_cclosure) ? f->cclosure.env : ECL_NIL;
  for (;;) {
    if (lisp_is_of(f, t_bclosure))
      f = f->bclosure.code;
    if (bytecodes != OBJNULL
            ? f == bytecodes
            : lisp_is_of(f, t_cfun) || lisp_is_of(f, t_cfunfixed))
      return f;
    if (!ECL_CONSP(others))
      return OBJNULL;
    f = ECL_CONS_CAR(others);
    others = ECL_CONS_CDR(others);
  }
}

static bool
is_generic(cl_object function)
{
  return lisp_is_of(function, t_instance) && function->instance.isgf;
}

/* The functions of (SETF symbol) are in pairs, or by themselves. */
static cl_object
first_of(cl_object definition)
{
  return ECL_CONSP(definition) ? ECL_CONS_CAR(definition) : definition;
}

static cl_object
definition_of_setf(cl_object symbol)
{
#if ECL_VERSION_NUMBER >= 240510
  return symbol->symbol.sfdef;
#else
  const struct table_entries entries =
      table_entries(cl_core.setf_definitions);
  for (cl_index i = 0; i < entries.count; i++)
    if (entries.at[i].key == symbol)
      return entries.at[i].value;
  return OBJNULL;
#endif
}

/* What is defined as the name SYMBOL, or (SETF SYMBOL). */
static cl_object
definition_of(cl_object name)
{
  if (lisp_is_of(name, t_symbol))
    return ECL_SYM_FUN(name);
  if (ECL_CONSP(name) && lisp_is_named(ECL_CONS_CAR(name), "SETF") &&
      lisp_is_of(first_of(ECL_CONS_CDR(name)), t_symbol))
    return first_of(definition_of_setf(first_of(ECL_CONS_CDR(name))));
  return OBJNULL;
}

uint32_t
lisp_methods_number(cl_object bytecodes)
{
  const cl_object generic = definition_of(bytecodes->bytecodes.name);
  if (is_generic(generic))
    for (cl_object l = slot(generic, "METHODS"); ECL_CONSP(l);
         l = ECL_CONS_CDR(l))
      if (method_code(ECL_CONS_CAR(l), bytecodes) != OBJNULL)
        return method_name(generic, ECL_CONS_CAR(l));
  return lisp_names_number(bytecodes->bytecodes.name);
}

/* ---- all that is compiled ---- */

/* The number of a compiled function that has no name yet; 0: it is none. */
static uint32_t
unnamed_function(cl_object f)
{
  const uint32_t number =
      lisp_is_of(f, t_cfun) || lisp_is_of(f, t_cfunfixed)
          ? function_number_of_start(&malloc_monitor.functions,
                                     lisp_function_code(f))
          : 0;
  return lisp_function_at(number)->name == 0 ? number : 0;
}

static void
name_methods(cl_object generic)
{
  if (is_generic(generic))
    for (cl_object l = slot(generic, "METHODS"); ECL_CONSP(l);
         l = ECL_CONS_CDR(l)) {
      const uint32_t number =
          unnamed_function(method_code(ECL_CONS_CAR(l), OBJNULL));
      if (number != 0)
        lisp_function_name(number, method_name(generic, ECL_CONS_CAR(l)));
    }
}

/* What expands a type has the property of its name, in a list of all that are
 * ECL's own. */
static void
name_expander(cl_object symbol, cl_object properties)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  cl_object l = properties;
  while (ECL_CONSP(l) &&
         !lisp_is_named(ECL_CONS_CAR(l), "DEFTYPE-DEFINITION"))
    l = ECL_CONSP(ECL_CONS_CDR(l)) ? ECL_CONS_CDR(ECL_CONS_CDR(l)) : ECL_NIL;
  l = ECL_CONSP(l) ? ECL_CONS_CDR(l) : l;
  uint32_t number = unnamed_function(first_of(l));
  if (number == 0 || !lisp_is_of(symbol, t_symbol))
    return;
  lisp_printer_text(&out, "(DEFTYPE ");
  lisp_printer_name(&out, symbol, NAMED_CLASS);
  lisp_printer_text(&out, ")");
  lisp_function_name(number, lisp_names_intern(&out));
}

static void
name_setf_methods(cl_object unused, cl_object definition)
{
  (void)unused;
  name_methods(first_of(definition));
}

static void
name_symbol_methods(cl_object unused, cl_object symbol)
{
  (void)unused;
  if (!lisp_is_of(symbol, t_symbol))
    return;
  name_methods(ECL_SYM_FUN(symbol));
#if ECL_VERSION_NUMBER >= 240510
  name_setf_methods(symbol, symbol->symbol.sfdef);
#endif
}

static void
for_each_entry(cl_object table,
               void (*function)(cl_object key, cl_object value))
{
  const struct table_entries entries = table_entries(table);
  for (cl_index i = 0; i < entries.count; i++)
    if (entries.at[i].key != OBJNULL)
      function(entries.at[i].key, entries.at[i].value);
}

static void *
name_all(void *unused)
{
  for (cl_object l = cl_core.packages; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    const cl_object package = ECL_CONS_CAR(l);
    if (lisp_is_of(package, t_package)) {
      for_each_entry(package->pack.internal, name_symbol_methods);
      for_each_entry(package->pack.external, name_symbol_methods);
    }
  }
  for_each_entry(cl_core.system_properties, name_expander);
#if ECL_VERSION_NUMBER < 240510
  for_each_entry(cl_core.setf_definitions, name_setf_methods);
#endif
  return unused;
}

void
lisp_methods_name(void)
{
  GC_call_with_alloc_lock(name_all, NULL);
}
