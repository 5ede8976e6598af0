/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to change in a Lisp program, found by the rules in the chains of
 * a view.
 *
 * A piece of advice is about one rule, one culprit and one line of it.  Every
 * figure in it is counted: it has the bytes of the allocations for which the
 * rule holds, and each allocation is in at most one piece of advice.
 */

#pragma once

#include "advice/rules.h"
#include "analysis/view.h"

struct advice {
  const struct rule *rule; /* one with a name */
  uint32_t culprit;        /* a function of the frame table */
  const char *function;    /* its name, and its file, "" when not known */
  const char *file;
  const char *called; /* below it, for most of the bytes; NULL: it allocates
                         itself */
  const char *caller; /* of the program, above it, for most of the bytes;
                         NULL: there is none */
  int64_t line;     /* in the file, of a place in the function, or else of its
                       definition; 0 when not known */
  uint64_t calls;   /* of the function that led to allocation, or
                       CALLS_UNKNOWN */
  uint64_t objects; /* that the rule counts */
  uint64_t sizes;   /* how many different ones these have, as far as known */
  uint64_t least, most;   /* of the sizes, in bytes */
  bool larger;            /* there are others, which are not known */
  uint64_t saved;         /* bytes, never 0; an upper bound where the grade is
                             check */
  const char *definition; /* once grouped: what the function is local to, or
                             its name */
  uint64_t all_saved;     /* likewise: by all advice on the definition */
  struct figures figures;
  uint32_t ways[2]; /* while it is gathered: those of called and caller */
};

struct advice_list {
  struct advice *items; /* by what they save, descending, then by name */
  size_t count;
};

/* Finds all advice in VIEW, which must outlive LIST; none that saves nothing,
 * nor any where advice_applies is false. */
void advice_list_init(struct advice_list *list, const struct view *view);

/* Sorts LIST so that the pieces about one definition are together;
 * definitions by what all of their pieces save, descending. */
void advice_list_group(struct advice_list *list);

/* Returns the end of the pieces about the definition of the one at START. */
size_t advice_group_end(const struct advice_list *list, size_t start);

/* Returns whether VIEW is one to give advice on: with rules in its options,
 * of a Lisp program, and of what was allocated, by functions. */
bool advice_applies(const struct view *view);

/* ---- which rule holds, and which function is to be changed ---- */

/* Each name that a rule asks for becomes a bit of what has that name.  A
 * chain is read from its leaf on, and only as far as it takes to find the
 * culprit and its caller. */

/* What rules mean in a profile.  Roles are bytes, one for each rule; bit i
 * says that the rule names something for enum rule_key i. */
struct matcher {
  const struct view *view;
  const struct rule *rules;
  size_t rule_count;
  struct part *parts;   /* by function of the frame table */
  bool addresses;       /* the profile says where code is */
  unsigned char *names; /* roles: rule_count bytes for each name of the frame
                           table */
  unsigned char *types; /* likewise, for each type of the profile */

  const struct frame **chain; /* that is looked at, from the leaf on, ... */
  size_t chain_count, chain_capacity;
  uint32_t next; /* ... up to this node, which is not read yet */
  bool applies;  /* something on it calls what it is given */
};

/* Makes MATCHER of VIEW and the rules of its options, which are not NULL. */
void matcher_init(struct matcher *matcher, const struct view *view);

/* Why an object was allocated. */
struct finding {
  size_t rule;      /* number of the first one that holds, perhaps unnamed */
  uint32_t culprit; /* functions of the frame table */
  uint32_t called;  /* by the culprit; INDEX_NONE: it allocates itself */
  uint32_t caller;  /* of the program, other than the culprit and above it;
                       INDEX_NONE: there is none */
  int64_t line;     /* in the culprit, 0 when not known */
  bool counted;     /* the rule counts such objects */
};

/* Sets FINDING for an object of TYPE that was allocated in NODE of the
 * profile's tree.  Returns false if no rule holds. */
bool matcher_find(struct matcher *matcher, uint32_t node, uint32_t type,
                  struct finding *finding);
