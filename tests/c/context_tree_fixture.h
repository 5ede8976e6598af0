/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree_fixture.h -- context trees of made-up functions.  A site is
 * written as function * 16 + call, so that the function of each is known.
 */
#ifndef CONTEXT_TREE_FIXTURE_H
#define CONTEXT_TREE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tree/context_tree.h"

enum { MAIN = 1, F, G, H, CONS, FIRST_HIDDEN = 8, ROOT_FUNCTION = 16 };

static inline uint64_t
site(unsigned function, unsigned call)
{
  return function * 16u + call;
}

static inline uint32_t
function_of(void *closure, uint64_t s, uint32_t caller)
{
  (void)closure, (void)caller;
  return (uint32_t)(s / 16) | (s / 16 >= FIRST_HIDDEN && s / 16 < 16
                                    ? FUNCTION_HIDDEN
                                : s / 16 == ROOT_FUNCTION ? FUNCTION_ROOT
                                                          : 0);
}

static inline void
make_tree(struct context_tree *tree, uint32_t budget, bool fold)
{
  assert_int_equal(context_tree_init(tree, budget, fold, function_of, NULL,
                                     NULL),
                   0);
}

/* Go down a chain of SITES as the walk does; gives the last context's number,
 * and in NUMBERS, unless it is NULL, those of all. */
static inline uint32_t
follow_chain(struct context_tree *tree, const uint64_t *sites, size_t n,
             uint32_t *numbers)
{
  uint32_t up = CONTEXT_ROOT, number = CONTEXT_ROOT;
  for (size_t i = 0; i < n; i++) {
    number = context_tree_child(tree, up, sites[i]);
    if (numbers != NULL)
      numbers[i] = number;
    up = tree->contexts[number].target;
  }
  return number;
}

#endif
