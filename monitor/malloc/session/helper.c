/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * helper.c -- see helper.h.
 */
#include "malloc/session/helper.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

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

static int
start(struct helper *helper, int (*function)(void *), void *closure,
      int flags)
{
  int status = 0;
  if (forbidden)
    return EPERM;
  if (arena_reserve(&helper->stack, STACK_BYTES) != 0)
    return ENOMEM;
  helper->process =
      clone(function, (char *)helper->stack.base + STACK_BYTES, flags,
            closure);
  if (helper->process < 0) {
    status = errno;
    arena_release(&helper->stack);
  }
  return status;
}

int
helper_begin(struct helper *helper, int (*function)(void *), void *closure)
{
  return start(helper, function, closure, CLONE_FILES);
}

int
helper_end(struct helper *helper)
{
  int status;
  if (waitpid(helper->process, &status, (int)__WCLONE) != helper->process)
    status = errno;
  else
    status = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
  arena_release(&helper->stack);
  return status;
}

int
helper_run(int (*function)(void *), void *closure, bool copy)
{
  struct helper helper;
  const int status = start(&helper, function, closure,
                           CLONE_VFORK | (copy ? 0 : CLONE_VM));
  return status == 0 ? helper_end(&helper) : status;
}
