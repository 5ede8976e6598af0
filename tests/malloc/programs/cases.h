/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cases.h -- a program is a table of cases, which ends with one without a
 * name; the command line says which one runs.  Inlined, so that a case is
 * called by main.
 */
#ifndef CASES_H
#define CASES_H

#include <string.h>

struct test_case {
  const char *name;
  void (*run)(void);
};

/* The exit status: 98 when there is no such case. */
static inline __attribute__((always_inline)) int
run_case(const struct test_case *cases, int argc, char **argv)
{
  for (; argc > 1 && cases->name != NULL; cases++)
    if (strcmp(cases->name, argv[1]) == 0) {
      cases->run();
      return 0;
    }
  return 98;
}

#endif
