/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ecl_stacks.h -- fields of ECL's environment that have other names in 24.5.10:
 * the tops of its stacks, and the limit of the stack of C.
 */
#pragma once

#include <ecl/ecl.h>

#if ECL_VERSION_NUMBER >= 240510
# define STACK_TOP run_stack.top
# define IHS_TOP ihs_stack.top
# define CS_LIMIT c_stack.limit
#else
# define STACK_TOP stack_top
# define IHS_TOP ihs_top
# define CS_LIMIT cs_limit
#endif
