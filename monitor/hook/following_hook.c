/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * following_hook.c -- the hooks of a thread whose objects are followed.
 */

#define FOLLOW true
#include "hook/count_allocation.h"

void
hook_follow(struct ecl_allocation_hooks *hooks)
{
  hooks->allocated = allocated;
  hooks->instance_allocated = instance_allocated;
}
