/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * helper.c -- see helper.h.
 */
#include "malloc/session/helper.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

#include "tree/arena.h"

enum { STACK_BYTES = 1 << 18 };

static bool forbidden;

void
helper_forbid(void)
{
  forbidden = true;
}

bool
helper_is_forbidden(void)
{
  return forbidden;
}

int
helper_run(int (*function)(void *), void *closure, bool copy)
{
  struct arena stack;
  int helper, status = 0;
  if (forbidden)
    return EPERM;
  if (arena_reserve(&stack, STACK_BYTES) != 0)
    return ENOMEM;
  helper = clone(function, (char *)stack.base + STACK_BYTES,
                 CLONE_VFORK | (copy ? 0 : CLONE_VM), closure);
  if (helper < 0)
    status = errno;
  else if (waitpid(helper, &status, (int)__WCLONE) != helper)
    status = errno;
  else
    status = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
  arena_release(&stack);
  return status;
}
