/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_methods.c -- names of the functions of methods, and of those that
 * expand types.  They are made without one, and get that of what is defined
 * with them.
 *
 * Slots are found by name, as a program may have classes of its own for
 * generic functions and methods.  The function of a method is a closure of
 * CLOS around that which has the code.
 */
#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "c/interpose/interposed.h"

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
  return lisp_names_intern(lisp_printer_end(&out));
}

/* What has the code of the method; OBJNULL: nothing.  A closure's code may be
 * that of many methods. */
static cl_object
method_code(cl_object method)
{
  cl_object f = slot(method, "THE-FUNCTION");
  cl_object others = lisp_is_of(f, t_cclosure) ? f->cclosure.env : ECL_NIL;
  for (;;) {
    if (lisp_is_of(f, t_bclosure))
      f = f->bclosure.code;
    if (lisp_is_of(f, t_bytecodes) || lisp_is_of(f, t_cfun) ||
        lisp_is_of(f, t_cfunfixed))
      return f;
    if (!ECL_CONSP(others))
      return OBJNULL;
    f = ECL_CONS_CAR(others);
    others = ECL_CONS_CDR(others);
  }
}

/* ---- where they are defined ---- */

/* The number of a compiled function that has no name yet; 0 if F is
 * something else. */
static uint32_t
unnamed_function(cl_object f)
{
  const uint32_t number = function_number_of_start(&malloc_monitor.functions,
                                                   lisp_function_code(f));
  return lisp_function_at(number)->name == 0 ? number : 0;
}

static void
name_method(cl_object generic, cl_object method)
{
  const cl_object code = method_code(method);
  const uint32_t number = unnamed_function(code);
  if (lisp_is_of(code, t_bytecodes))
    lisp_bytecodes_name(code, method_name(generic, method));
  else if (number != 0)
    lisp_function_name(number, method_name(generic, method));
}

/* CLOS calls it when a generic function has another method, which is the
 * first one then. */
EXPORT cl_object
clos_set_funcallable_instance_function(cl_object generic, cl_object function)
{
  lisp_runtime_begin();
  if (lisp_runtime.hooked) {
    const cl_object methods = slot(generic, "METHODS");
    malloc_monitor_inside++;
    if (ECL_CONSP(methods))
      name_method(generic, ECL_CONS_CAR(methods));
    malloc_monitor_inside--;
  }
  return REAL(clos_set_funcallable_instance_function)(generic, function);
}

static void
name_expander(cl_object symbol, cl_object expander)
{
  char text[LISP_NAME_BYTES];
  struct lisp_printer out = {.at = text, .room = sizeof text - 1};
  const uint32_t number = unnamed_function(expander);
  lisp_printer_text(&out, "(DEFTYPE ");
  lisp_printer_name(&out, symbol, NAMED_CLASS);
  lisp_printer_text(&out, ")");
  if (number != 0)
    lisp_function_name(number, lisp_names_intern(lisp_printer_end(&out)));
}

/* What expands a type is a property of its name. */
EXPORT cl_object
si_put_sysprop(cl_object symbol, cl_object property, cl_object value)
{
  lisp_runtime_begin();
  if (lisp_runtime.hooked && lisp_is_named(property, "DEFTYPE-DEFINITION")) {
    malloc_monitor_inside++;
    name_expander(symbol, value);
    malloc_monitor_inside--;
  }
  return REAL(si_put_sysprop)(symbol, property, value);
}
