/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cut.c -- compiled without call-frame information: nothing says where the
 * callers of these functions are.
 */
#include <signal.h>
#include <stdlib.h>

static void *volatile kept;

/* The frame pointer is no address. */
static __attribute__((noinline)) void
lose(size_t bytes)
{
  for (int i = 0; i < 500; i++) {
#ifdef __aarch64__
    __asm__ volatile("mov x29, 8" ::: "x29");
#else
    __asm__ volatile("mov $8, %%rbp" ::: "rbp");
#endif
    kept = malloc(bytes);
  }
}

int
main(void)
{
  lose(61);
  lose(67);
#ifdef END
  END;
#endif
  return 0;
}
