/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A rule of advice: how a fault shows at the end of a chain of calls, and
 * what to say then.
 *
 * The chain of an allocation ends in functions of the runtime and of ECL
 * itself, below a function of the program, the *culprit*, which is the one to
 * change:
 *
 *     MAIN   REPORT   FORMAT   SI:FORMATTER-AUX   SI::TOKENIZE-CONTROL-STRING
 *            culprit  called   [ through                                leaf
 * ]
 *
 * A rule holds for an allocation when all that it asks for is there; it asks
 * for nothing where a member is NULL.  Of several rules the first one in
 * rules.c has the allocation, so no byte is in two pieces of advice.
 *
 * A rule is a file of its own, rule_NAME.c, and a line in rules.c.
 */

#ifndef MPROF_RULE_H
#define MPROF_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How sure the advice is. */
enum grade {
  GRADE_CERTAIN, /* the counts prove the fault and its cost */
  GRADE_CHECK    /* it is likely: look at the source; an upper limit */
};

/* What of the bytes is saved. */
enum saving {
  SAVES_ALL,
  SAVES_ALL_OF_MANY, /* nothing where there is one object */
  SAVES_ALL_BUT_ONE, /* one object of all stays */
  SAVES_WIDTH /* strings of 4 bytes a character get 1 byte, and one at the
                 end */
};

struct advice_rule {
  const char *name; /* as `mprof help advise' lists it; NULL: see rules.c */
  enum grade grade;
  enum saving saving;

  /* the condition; lists of names end with NULL */
  bool direct;                /* the culprit itself allocates */
  bool interpreted;           /* the culprit is; it has no machine code */
  const char *const *called;  /* what the culprit calls */
  const char *const *through; /* a function below the culprit */
  const char *const *without; /* no such function below what it calls */
  const char *const *leaf;    /* what allocates; not the culprit */
  const char *const *types;   /* or classes, of the objects */
  const char *package; /* its functions are no culprits, nor those between
                          them and the leaf */

  /* the words */
  const char *const *counted; /* types of the objects that are counted, where
                                 others come with them; NULL: all */
  const char *objects;        /* what these are: "string streams" */
  const char *fault;          /* what is wrong, in a few words */
  const char *remedy;         /* what to change */
  const char *example;        /* before => after */
  const char *unknown;        /* what the figures cannot say; NULL: nothing */
};

/* A list of names. */
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* In order; the last is NULL.  At most MOST_RULES. */
enum { MOST_RULES = 64 };
extern const struct advice_rule *const advice_rules[];

#endif
