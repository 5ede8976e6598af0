/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * raw-end.c -- a program that ends by a system call of its own, as those that
 * Go is a part of, and runs no exit handlers: with an argument, after it has
 * allocated.
 */
#include <stdlib.h>
#include <sys/syscall.h>

#include "arch/arch.h"

static void *volatile kept;

int
main(int count, char **arguments)
{
  const long status[6] = {4};
  (void)arguments;
  for (int i = 1; i < count; i++)
    kept = malloc(33);
  arch_system_call(SYS_exit_group, status);
  return 0;
}
