/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sites.c -- numbers of functions: those of compiled functions, then from
 * FUNCTION_OBJECT_BASE on those of byte-compiled ones, then what is no
 * function.
 */
#include "code/sites.h"

#include "code/lisp_functions.h"
#include "names/kept_objects.h"

enum { FUNCTIONS_OF_SPECIAL = 0x1FFFF00 /* | enum site_special */ };

uint32_t
site_function_number(uint64_t site)
{
  if ((site & SITE_OBJECT) != 0)
    return kept_objects_function((cl_object)(uintptr_t)(site & ~SITE_OBJECT));
  if ((site & SITE_SPECIAL) != 0)
    return FUNCTIONS_OF_SPECIAL | (uint32_t)(site & ~SITE_SPECIAL);
  if ((site & SITE_PASSING) != 0)
    return lisp_apply.passing;
  return code_function_of_site(site);
}

uint32_t
site_function_in_tree(void *closure, uint64_t site, uint32_t caller)
{
  uint32_t number = site_function_number(site);
  (void)closure;
  if (number < FUNCTION_OBJECT_BASE) {
    if (number == lisp_apply.function && caller < FUNCTION_OBJECT_BASE &&
        code_function_at(caller)->passes_on)
      number = lisp_apply.passing;
    return number | code_function_at(number)->in_tree;
  }
  return number | (uint32_t)kept_objects_role(number) << FUNCTION_ROLE_SHIFT;
}

const struct code_function *
site_function(uint32_t number)
{
#define NAMED(text)                                                          \
  { .name = text, .system_name = "", .file_position = -1, .calls_known = true }
  static const struct code_function special[] = {
    NAMED("[unknown]"),
    [SITE_OVERFLOW] = NAMED("[over the budget]"),
    [SITE_SIGNAL_HANDLER] = NAMED("[signal handler]"),
    [SITE_FINALIZERS] = NAMED("[finalizers]"),
  };
#undef NAMED
  static struct code_function object;
  const char *name;
  if (number >= FUNCTIONS_OF_SPECIAL)
    return &special[number - FUNCTIONS_OF_SPECIAL];
  if (number < FUNCTION_OBJECT_BASE)
    return code_function_at(number)->name != NULL ? code_function_at(number)
                                                  : &special[0];
  name = kept_objects_name(number);
  object = (struct code_function){
    .name = name != NULL ? name : "(OUT-OF-MEMORY)",
    .system_name = "",
    .file_position = -1,
    .calls_known = true,
  };
  return &object;
}

bool
site_function_depends(uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  return number != 0 &&
         (number == lisp_apply.function || number == lisp_apply.passing);
}
