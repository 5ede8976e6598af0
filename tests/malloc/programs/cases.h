/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cases.h -- a program is a table of cases, which ends with one without a
 * name; the command line says which one runs, or all of them.  Inlined, so
 * that a case is called by main.
 */
#pragma once

#include <string.h>

struct test_case {
  const char *name;
  void (*run)(void);
};

/* The exit status: 98 when there is no such case. */
static inline __attribute__((always_inline)) int
run_case(const struct test_case *cases, int argc, char **argv)
{
  const int all = argc > 1 && strcmp(argv[1], "all") == 0;
  int status = 98;
  for (; argc > 1 && cases->name != NULL; cases++)
    if (all || strcmp(cases->name, argv[1]) == 0) {
      cases->run();
      status = 0;
    }
  return status;
}
