/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * step_table.c -- see step_table.h.  A table to which as many steps were added
 * as it has places gives way to a longer one.
 */
#include "lisp/walk/step_table.h"

#include "base/sizes.h"

static int
reserve(struct step_table *table, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(&arena, places * sizeof *table->steps) != 0)
    return -1;
  arena_release(&table->arena);
  table->arena = arena;
  table->steps = arena.base;
  table->mask = places - 1;
  table->added = 0;
  return 0;
}

int
step_table_init(struct step_table *table)
{
  return reserve(table, SIZE_FIRST_STEPS);
}

void
step_table_forget(struct step_table *table)
{
  arena_clear(&table->arena);
  table->added = 0;
}

void
step_table_add(struct step_table *table, struct step step)
{
  const uint32_t kind = (step.key & 1) != 0 ? step.more : 0;
  if (table->added++ > table->mask && table->mask < SIZE_MOST_STEPS - 1)
    reserve(table, (table->mask + 1) * 4);
  *step_table_place(table, step.key, kind) = step;
}
