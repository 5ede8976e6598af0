/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * clos_dispatch.c -- what stands between a generic function and its methods.
 *
 * The functions are those of ECL's own CLOS, known by name.  They are
 * functions of the runtime to reports, which hide them; so is the second
 * APPLY, which has the same names as the first.
 */
#include "names/clos_dispatch.h"

#include <stddef.h>
#include <string.h>

#include "code/code_index.h"
#include "names/function_table.h"

/* APPLY, and as what it counts where it is a part of CLOS. */
static uint32_t apply_function, passing_apply;

bool
is_clos_dispatch(const char *name)
{
  static const char *const makers[] = {
    "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)",
    "(LAMBDA :IN CLOS::STANDARD-MAIN-EFFECTIVE-METHOD)",
    "(LAMBDA :IN CLOS::WRAPPED-METHOD-FUNCTION)",
    "CALL-NEXT-METHOD", /* compiled methods have it inline */
  };
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
    if (strcmp(name, makers[i]) == 0)
      return true;
  return false;
}

void
clos_dispatch_set_apply(uint32_t function)
{
  const struct code_function *f = function_table_at(function);
  passing_apply =
      function_table_intern(f->name, f->system_name, f->file, -1, true);
  function_table_at(passing_apply)->calls_known = true; /* like APPLY */
  apply_function = function;
}

uint32_t
code_index_called(uint32_t function, uint32_t caller)
{
  if (function == 0 || function != apply_function ||
      caller >= FUNCTION_OBJECT_BASE || !function_table_at(caller)->passes_on)
    return function;
  return passing_apply != 0 ? passing_apply : function;
}

bool
code_index_is_apply(uint32_t function)
{
  return function != 0 &&
         (function == apply_function || function == passing_apply);
}

uint32_t
code_index_passing_apply(void)
{
  return passing_apply;
}
