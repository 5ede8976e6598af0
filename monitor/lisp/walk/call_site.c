/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_site.c -- see call_site.h. */
#include "lisp/walk/call_site.h"

#include <ecl/ecl.h>

#include "base/sizes.h"
#include "code/frame_rule.h"
#include "lisp/names/lisp_functions.h"

enum { MOST_CALLS = 1 << 28 };

struct call_sites_shared call_sites_shared = {.first_epoch = 1};

int
call_sites_init(struct call_sites *table, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(&arena, places * sizeof *table->sites) != 0)
    return -1;
  table->arena = arena;
  table->sites = arena.base;
  table->mask = places - 1;
  return 0;
}

void
call_sites_forget(struct call_sites *table)
{
  arena_clear(&table->arena);
  table->count = 0;
}

/* Returns the place of a return address that is not there. */
static struct call_site *
free_place(const struct call_sites *table, uintptr_t ip)
{
  uint32_t i = (uint32_t)ip & table->mask;
  while (table->sites[i].ip != 0)
    i = (i + 1) & table->mask;
  return &table->sites[i];
}

/* Makes the table longer, or empties it when it is three quarters full. */
static void
make_room(struct call_sites *table)
{
  struct call_sites before = *table;
  if (table->count < table->mask / 4)
    return;
  if (call_sites_init(table, (before.mask + 1) * 2) == 0) {
    for (uint32_t i = 0; i <= before.mask; i++)
      if (before.sites[i].ip != 0)
        *free_place(table, before.sites[i].ip) = before.sites[i];
    arena_release(&before.arena);
  } else if (table->count >= table->mask / 4 * 3) {
    call_sites_forget(table);
  }
}

/* Sets how to get from the frame of the function to its caller's. */
static void
set_way(struct call_site *site, struct frame_rule rule,
        const struct code_function *f)
{
  const int word = sizeof(uintptr_t), offset = (int)rule.offset;
  site->kind = CALL_ELSEWHERE;
  if (f->code == (uintptr_t)GC_invoke_finalizers) {
    site->kind = CALL_FINALIZERS;
  } else if (rule.framed) {
    site->word_at = f->word_at;
    site->kind = f->word_at == 0                       ? CALL_WORDLESS
                 : f->code == (uintptr_t)ecl_interpret ? CALL_INTERPRETER
                                                       : CALL_FRAME;
  } else if (ARCH_FRAME_IS_AT_TOP && rule.base <= FRAME_FROM_POINTER &&
             offset >= word && offset <= INT16_MAX &&
             (rule.saved == 0 ||
              (rule.saved < -1 && rule.saved >= -UINT8_MAX))) {
    const bool on_stack = rule.base == FRAME_FROM_STACK;
    site->kind = on_stack ? CALL_ON_STACK : CALL_ON_POINTER;
    site->word_at = (int16_t)(offset - (on_stack ? 0 : word));
    site->saved = (uint8_t)(rule.saved == 0 ? 0 : -1 - rule.saved);
  }
}

const struct call_site *
call_site_add(struct call_sites *table, uintptr_t ip)
{
  const uint32_t function = site_function_in_tree(ip, 0);
  struct call_site *site;
  make_room(table);
  site = free_place(table, ip);
  *site = (struct call_site){
      .ip = ip,
      .call = table->calls < MOST_CALLS ? ++table->calls << 2 : NO_CALL,
      .place = code_function_place(ip, call_sites_shared.apart),
      .function = site_function_depends(function) ? 0 : function};
  set_way(site, frame_rule_find(ip, false),
          code_function_at(code_function_of_site(ip)));
  table->count++;
  return site;
}

/* ---- steps ---- */

int
step_table_init(struct step_table *table, uint32_t places)
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
    step_table_init(table, (table->mask + 1) * 4);
  *step_table_place(table, step.key, kind) = step;
}
