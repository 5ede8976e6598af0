/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to change in a Lisp program, found by the rules of rules.c in the
 * chains of a reduction.
 *
 * A piece of advice is about one rule, one culprit and one line of it.  Every
 * figure in it is counted: it has the bytes of the allocations for which the
 * rule holds, and each allocation is in at most one piece of advice.
 */

#ifndef MPROF_ADVICE_H
#define MPROF_ADVICE_H

#include "advice/rule.h"
#include "analysis/reduction.h"

struct advice {
  const struct advice_rule *rule;
  uint32_t culprit; /* functions of the frame table */
  uint32_t called;  /* below the culprit, for most of the bytes; INDEX_NONE:
                       the culprit itself allocates */
  uint32_t caller;  /* of the program, above the culprit, for most of the
                       bytes; INDEX_NONE: there is none */
  int64_t line;     /* in the file of the culprit; 0 when not known */
  uint64_t calls;   /* of the culprit that led to allocation, or
                       CALLS_UNKNOWN */
  uint64_t objects; /* that the rule counts */
  uint64_t sizes;   /* how many different ones these have, as far as known */
  uint64_t least, most; /* of the sizes, in bytes */
  bool larger;          /* there are others, which are not known */
  uint64_t saved;       /* bytes, at most so many where the grade is check */
  struct figures figures;
};

struct advice_list {
  struct advice *items; /* by what they save, descending, then by name */
  size_t count;
};

/* Finds all advice in REDUCTION, which must outlive LIST.  False when memory
 * runs out; release it even then. */
bool advice_list_init(struct advice_list *list,
                      const struct reduction *reduction);
void advice_list_release(struct advice_list *list);

/* Whether REDUCTION is one to give advice on: of a Lisp program, and of what
 * was allocated, by functions. */
bool advice_applies(const struct reduction *reduction);

/* The file and the line that ADVICE is about, "" and 0 when not known: of a
 * place in the culprit, or else of its definition. */
const char *advice_file(const struct reduction *reduction,
                        const struct advice *advice);
int64_t advice_line(const struct reduction *reduction,
                    const struct advice *advice);

#endif
