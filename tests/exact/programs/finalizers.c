/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * finalizers.c -- for finalizers.lisp: finalizers in C, which look whether Lisp
 * interrupts are disabled.
 */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <stddef.h>

#include <ecl/ecl.h>

static int enabled, disabled;

static void
look(void *object, void *unused)
{
  (void)object, (void)unused;
  if (ecl_process_env()->disable_interrupts)
    disabled++;
  else
    enabled++;
}

void
make_looker(void)
{
  GC_register_finalizer_no_order(GC_malloc(1), look, NULL, NULL, NULL);
}

int
looked_while_enabled(void)
{
  return enabled;
}

int
looked_while_disabled(void)
{
  return disabled;
}
