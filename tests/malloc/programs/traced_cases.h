/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * traced_cases.h -- a program whose cases allocate in the C library.  With a
 * second argument it writes the library's own trace of that, see mtrace(3).
 */
#pragma once

#include <mcheck.h>
#include <unistd.h>

#include "cases.h"

extern void free(void *);
static void *volatile kept; /* what a case does not free */

static inline void
demand(int condition)
{
  if (!condition)
    _exit(96);
}

/* The exit status. */
static inline __attribute__((always_inline)) int
run_traced(const struct test_case *cases, int argc, char **argv)
{
  int status;
  if (argc > 2)
    mtrace();
  status = run_case(cases, argc, argv);
  if (argc > 2)
    muntrace(); /* else it frees what the library keeps, at exit */
  return status;
}
