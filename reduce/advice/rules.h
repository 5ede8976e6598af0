/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A rule of advice: how a fault shows at the end of a chain of calls, and
 * what to say then.
 *
 * The chain of an allocation ends in functions of the runtime and of ECL
 * itself, below a function of the program, the *culprit*, which is the one to
 * change:
 *
 *     MAIN   REPORT   FORMAT   SI:FORMATTER-AUX   SI::TOKENIZE-CONTROL-STRING
 *            culprit  called   [ through                            leaf ]
 *
 * A rule holds for an allocation when all that it asks for is there.  Of
 * several rules the first one has the allocation, so no byte is in two pieces
 * of advice.
 *
 * Rules are text: one stanza a rule, of lines KEY: VALUE, as mprof-advice(7)
 * explains it.  Those of mprof are rules.txt, which is a part of the library.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What a stanza says: lists of names, ... */
enum rule_key {
  RULE_CALLED,  /* what the culprit calls */
  RULE_THROUGH, /* a function below the culprit */
  RULE_WITHOUT, /* no such function below what it calls */
  RULE_LEAF,    /* what allocates; not the culprit */
  RULE_TYPES,   /* or classes, of the objects */
  RULE_PACKAGE, /* its functions are no culprits, nor those between them and
                   the leaf */
  RULE_COUNTED, /* types of the objects that are counted, where others come
                   with them */
  RULE_LISTS,

  RULE_INTERPRETED = RULE_LISTS, /* the culprit is, and allocates itself */
  RULE_NAME,                     /* from here on, words */
  RULE_GRADE,
  RULE_SAVES,
  RULE_OBJECTS, /* what those are that are counted: "string streams" */
  RULE_FAULT,   /* what is wrong, in a few words */
  RULE_REMEDY,  /* what to change */
  RULE_EXAMPLE, /* before => after */
  RULE_UNKNOWN, /* what the figures cannot say */
  RULE_KEYS
};

/* A set of the first keys. */
#define RULE_BIT(key) ((unsigned char)(1u << (key)))

/* What it says, by key; where it says nothing, the usual value or "", never
 * NULL.  Lists are names, one behind the other, and an empty one. */
struct rule {
  const char *values[RULE_KEYS];
};

struct rule_list {
  struct rule *items; /* in the order in which they are tried; one without a
                         name is a further condition of the one before */
  size_t count, capacity;
};

struct mprof_error;

/* Reads the rules of the file PATH, unless it is NULL, and behind them those
 * of mprof.  Fails with MPROF_CANNOT_READ, and names the line, if the file is
 * wrong. */
void rule_list_init(struct rule_list *list, const char *path);

/* Returns whether RULE has WORD for KEY. */
static inline bool
rule_says(const struct rule *rule, enum rule_key key, const char *word)
{
  return strcmp(rule->values[key], word) == 0;
}
