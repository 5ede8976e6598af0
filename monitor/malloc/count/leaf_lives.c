/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lives.c -- see leaf_lives.h.
 */
#include "malloc/count/leaf_lives.h"

#include <stddef.h>

#include "malloc/count/malloc_code.h"

enum { MOST_LIVES = 1 << LEAF_BITS, LEAF_MASK = MOST_LIVES - 1 };

/* ---- room ---- */

static bool
reach_numbers(struct leaf_lives *lives, uint32_t end)
{
  return leaf_lives_are_plain(lives) ||
         arena_reach(&lives->arena, end * sizeof *lives->numbers) == 0;
}

bool
leaf_lives_reach(struct leaf_lives *lives, uint32_t end)
{
  return end <= stripes.leaves ||
         (!spin_holds(&stripes.stripe->lock) && reach_numbers(lives, end) &&
          stripes_reach(end));
}

/* Numbers for all lives that there may be; twice as many as there were, as
 * long as there is memory. */
static bool
grow(struct leaf_lives *lives, uint32_t most)
{
  const uint32_t now = stripes.leaves;
  if (now >= most)
    return false;
  return leaf_lives_reach(lives, now < most / 2 ? 2 * now : most) ||
         leaf_lives_reach(lives, now + 1);
}

/* ---- lives ---- */

static uint32_t
take_number(struct leaf_lives *lives, uint32_t most)
{
  const uint32_t free = lives->free;
  if (free != 0) {
    lives->free = lives->numbers[free].next;
    return free;
  }
  if (lives->end < stripes.leaves || grow(lives, most))
    return lives->end++;
  return 0;
}

uint32_t
leaf_lives_take(struct leaf_lives *lives, struct context_tree *tree,
                uint32_t leaf)
{
  const uint32_t most =
      tree->budget < MOST_LIVES / 2 ? 2 * tree->budget : MOST_LIVES;
  uint32_t life;
  if (leaf_lives_are_plain(lives))
    return leaf;
  life = lives->numbers[leaf].first;
  if (life != 0)
    return life;
  life = take_number(lives, most);
  if (life == 0) {
    context_tree_overflow(tree);
    return LEAF_OVERFLOW;
  }
  lives->numbers[life].leaf = leaf & LEAF_MASK;
  lives->numbers[life].next = 0;
  lives->numbers[leaf].first = life;
  return life;
}

struct leaf_life
leaf_lives_sum(const struct leaf_lives *lives, uint32_t leaf)
{
  struct leaf_life sum = {0};
  if (leaf_lives_are_plain(lives))
    return stripes_life(leaf);
  for (uint32_t life = lives->numbers[leaf].first; life != 0;
       life = lives->numbers[life].next) {
    const struct leaf_life one = stripes_life(life);
    leaf_life_add(&sum, &one);
  }
  return sum;
}

/* ---- other leaves ---- */

static bool
number(struct leaf_lives *lives, const struct context_tree *tree)
{
  if (arena_place(&lives->arena, stripes.leaves * sizeof *lives->numbers,
                  MOST_LIVES * sizeof *lives->numbers) != 0)
    return false;
  lives->end = tree->leaf_count;
  lives->free = 0;
  lives->numbers = lives->arena.base;
  for (uint32_t i = LEAF_OVERFLOW; i < lives->end; i++)
    lives->numbers[i] =
        (struct life_number){.leaf = i & LEAF_MASK, .first = i};
  return true;
}

bool
leaf_lives_are_of_linker(const struct leaf_lives *lives,
                         const struct context_tree *tree, uint32_t life)
{
  const uint32_t leaf = leaf_lives_leaf(lives, life);
  return (!leaf_lives_are_plain(lives) && lives->numbers[life].of_linker) ||
         malloc_code_is_linker(tree->leaves[leaf].site);
}

bool
leaf_lives_begin(struct leaf_lives *lives, const struct context_tree *tree)
{
  if (leaf_lives_are_plain(lives) && !number(lives, tree))
    return false;
  for (uint32_t i = LEAF_OVERFLOW; i < lives->end; i++)
    lives->numbers[i].of_linker = leaf_lives_are_of_linker(lives, tree, i);
  return true;
}

static void
free_number(struct leaf_lives *lives, uint32_t life)
{
  lives->numbers[life].leaf = 0;
  lives->numbers[life].of_linker = 0;
  lives->numbers[life].next = lives->free;
  lives->free = life;
}

/* The life is one more of its leaf, the first of which is `first'. */
static void
add(struct leaf_lives *lives, uint32_t life, uint32_t first)
{
  const struct leaf_life sum = stripes_life(life);
  if (sum.allocated.count == sum.freed.count) {
    stripes_add_life(first, life);
    free_number(lives, life);
  } else {
    lives->numbers[life].next = lives->numbers[first].next;
    lives->numbers[first].next = life;
  }
}

/* Small numbers are the first to be taken again. */
void
leaf_lives_renumber(struct leaf_lives *lives, const uint32_t *leaf_of)
{
  struct life_number *const numbers = lives->numbers;
  for (uint32_t i = 0; i < stripes.leaves; i++)
    numbers[i].first = 0;
  lives->free = 0;
  for (uint32_t i = lives->end - 1; i >= LEAF_OVERFLOW; i--) {
    const uint32_t leaf = leaf_of[numbers[i].leaf];
    numbers[i].next = 0;
    numbers[i].leaf = leaf & LEAF_MASK;
    if (leaf == 0)
      free_number(lives, i);
    else if (numbers[leaf].first == 0)
      numbers[leaf].first = i;
    else
      add(lives, i, numbers[leaf].first);
  }
}

void
leaf_lives_clear(struct leaf_lives *lives)
{
  arena_release(&lives->arena);
  *lives = (struct leaf_lives){0};
}
