/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which rule holds for an allocation, and which function is to be changed.
 *
 * Each name that a rule asks for becomes a bit of what has that name.  A
 * chain is read from its leaf on, and only as far as it takes to find the
 * culprit and its caller.
 */

#pragma once

#include "advice/rules.h"
#include "analysis/view.h"

/* What rules mean in a profile.  Roles are bytes, one for each rule; bit i
 * says that the rule names something for enum rule_key i. */
struct matcher {
  const struct view *view;
  const struct rule *rules;
  size_t rule_count;
  struct part *parts;   /* by function of the frame table */
  bool addresses;       /* the profile says where code is */
  unsigned char *names; /* roles, by name of the frame table */
  unsigned char *types; /* the same, by type of the profile */

  const struct frame **chain; /* that is looked at, from the leaf on, ... */
  size_t chain_count, chain_capacity;
  uint32_t next; /* ... up to this node, which is not read yet */
};

void matcher_init(struct matcher *matcher, const struct view *view);

/* Why an object was allocated. */
struct finding {
  size_t rule;      /* number of the first one that holds */
  uint32_t culprit; /* functions of the frame table */
  uint32_t called;  /* by the culprit; INDEX_NONE: it allocates itself */
  uint32_t caller;  /* of the program, other than the culprit and above it;
                       INDEX_NONE: there is none */
  int64_t line;     /* in the culprit, 0 when not known */
  bool counted;     /* the rule counts such objects */
};

/* Finds that for an object of TYPE that was allocated in NODE of the
 * profile's tree.  False: no rule holds. */
bool matcher_find(struct matcher *matcher, uint32_t node, uint32_t type,
                  struct finding *finding);
