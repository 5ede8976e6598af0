/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_role.c -- looks at the symbols of a name, as system_functions.c does
 * at their text: one of a package that is not ECL's makes it the program's.
 */
#include "names/lisp_role.h"

#include <string.h>

#include "profile/system_functions.h"

enum verdict { VERDICT_NONE, VERDICT_SYSTEM, VERDICT_OTHER };

/* Deeper lists are no names. */
enum { DEEPEST = 16 };

static enum verdict
judge_symbol(cl_object symbol, bool first)
{
  cl_object package = symbol->symbol.hpack;
  cl_object name = symbol->symbol.name, package_name;
  if (package == OBJNULL || Null(package))
    return VERDICT_OTHER;
  if (package == cl_core.keyword_package)
    return VERDICT_NONE;
  if (package == cl_core.lisp_package)
    return first && ecl_t_of(name) == t_base_string &&
                   is_kind_of_function((const char *)name->base_string.self,
                                       name->base_string.fillp)
               ? VERDICT_NONE
               : VERDICT_SYSTEM;
  package_name = package->pack.name;
  return ecl_t_of(package_name) == t_base_string &&
                 is_system_package(
                     (const char *)package_name->base_string.self,
                     package_name->base_string.fillp)
             ? VERDICT_SYSTEM
             : VERDICT_OTHER;
}

static enum verdict
judge(cl_object name, bool first, int depth)
{
  enum verdict verdict = VERDICT_NONE;
  if (Null(name) || ECL_FIXNUMP(name))
    return VERDICT_SYSTEM;
  if (ecl_t_of(name) == t_symbol)
    return judge_symbol(name, first);
  if (!ECL_CONSP(name) || depth == DEEPEST)
    return VERDICT_OTHER;
  for (cl_object l = name; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    cl_object element = ECL_CONS_CAR(l);
    enum verdict v = Null(element) ? VERDICT_NONE
                                   : judge(element, l == name, depth + 1);
    if (v == VERDICT_OTHER)
      return v;
    if (v == VERDICT_SYSTEM)
      verdict = v;
  }
  return verdict;
}

/* A form that is evaluated and not a function is called SI::BYTECODES by the
 * byte-code compiler. */
static bool
is_form(cl_object name)
{
  cl_object text;
  if (Null(name))
    return true;
  if (ecl_t_of(name) != t_symbol ||
      name->symbol.hpack != cl_core.system_package)
    return false;
  text = name->symbol.name;
  return ecl_t_of(text) == t_base_string &&
         strcmp((const char *)text->base_string.self, "BYTECODES") == 0;
}

enum phase_role
lisp_role_of_function(cl_object name)
{
  if (is_form(name))
    return ROLE_FORM;
  return judge(name, false, 0) == VERDICT_SYSTEM ? ROLE_NEUTRAL
                                                 : ROLE_PROGRAM;
}
