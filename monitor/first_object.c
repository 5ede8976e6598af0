/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * first_object.c -- which calls come after which.
 *
 * Following.  All ways from an address are followed within the function, each
 * instruction once, and the calls on them are collected.  From the entry, they
 * are followed as far as the first object: the calls that can come without one
 * are these, and the others come after one.  A function with code that cannot
 * be followed (a target in a register, a way that leads out of it, too much of
 * it) has no order.
 */
#include "first_object.h"

#include <stddef.h>
#include <string.h>

#include "arch/instruction.h"

/* What is larger is not looked at: the work is in proportion. */
enum {
  MAX_BYTES = 16384,
  MAX_INSTRUCTIONS = 500,
  MAX_TARGETS = 64,
  MAX_CALLS = 32
};

struct calls {
  size_t count;
  struct call {
    uintptr_t address; /* where it returns to */
    uintptr_t function;
  } calls[MAX_CALLS];
};

struct following {
  struct function_code code;
  allocates_fn *ends; /* a way ends at a call of such a function; or NULL */
  uintptr_t targets[MAX_TARGETS];
  size_t count;
  size_t instructions;
  uint8_t seen[MAX_BYTES / 8];
};

/* Whether the instruction is met for the first time. */
static bool
see(struct following *f, uintptr_t at)
{
  const size_t i = at - f->code.start;
  const uint8_t bit = (uint8_t)(1u << i % 8);
  const bool new = (f->seen[i / 8] & bit) == 0;
  f->seen[i / 8] |= bit;
  return new;
}

static bool
within(struct function_code code, uintptr_t address)
{
  return address >= code.start && address < code.end;
}

/* Follow one way until it ends, or joins another; false when it cannot be. */
static bool
follow_way(struct following *f, uintptr_t at, struct calls *calls)
{
  bool called = false; /* a call that does not return may be the end */
  while (within(f->code, at)) {
    const struct instruction i = arch_instruction(at, f->code.end);
    if (!see(f, at))
      return true;
    if (++f->instructions > MAX_INSTRUCTIONS)
      return false;
    at += i.length;
    called = i.kind == INSTRUCTION_CALL;
    switch (i.kind) {
    case INSTRUCTION_UNKNOWN:
      return false;
    case INSTRUCTION_RETURN:
    case INSTRUCTION_STOP:
      return true;
    case INSTRUCTION_JUMP:
    case INSTRUCTION_BRANCH:
      if (!within(f->code, i.target) || f->count == MAX_TARGETS)
        return false;
      f->targets[f->count++] = i.target;
      if (i.kind == INSTRUCTION_JUMP)
        return true;
      break;
    case INSTRUCTION_CALL:
      if (calls->count == MAX_CALLS)
        return false;
      calls->calls[calls->count++] = (struct call){ at, i.target };
      if (f->ends != NULL && f->ends(i.target))
        return true;
      break;
    case INSTRUCTION_PLAIN:
      break;
    }
  }
  return called;
}

/* The calls on all ways from `start', as far as the first one that `ends' the
 * way. */
static bool
follow(struct function_code code, uintptr_t start, allocates_fn *ends,
       struct calls *calls)
{
  struct following f = { .code = code, .ends = ends, .count = 1 };
  calls->count = 0;
  f.targets[0] = start;
  while (f.count > 0)
    if (!follow_way(&f, f.targets[--f.count], calls))
      return false;
  return true;
}

static const struct call *
find_call(const struct calls *calls, uintptr_t address)
{
  for (size_t i = 0; i < calls->count; i++)
    if (calls->calls[i].address == address)
      return &calls->calls[i];
  return NULL;
}

enum call_order
first_object_order(struct function_code code, uintptr_t address,
                   allocates_fn *allocates)
{
  struct calls before, all;
  const struct call *c;
  /* All of it, for every call: if one is ORDER_FIRST, those that come after it
   * must be known to. */
  if (code.end - code.start > MAX_BYTES ||
      !follow(code, code.start, NULL, &all) ||
      find_call(&all, address) == NULL ||
      !follow(code, code.start, allocates, &before))
    return ORDER_UNKNOWN;
  c = find_call(&before, address);
  if (c == NULL)
    return ORDER_AFTER;
  if (!allocates(c->function) || !follow(code, address, NULL, &all))
    return ORDER_UNKNOWN;
  for (size_t i = 0; i < all.count; i++)
    if (find_call(&before, all.calls[i].address) != NULL)
      return ORDER_UNKNOWN;
  return ORDER_FIRST;
}

bool
first_object_comes_once(struct function_code code, uintptr_t address)
{
  struct calls after;
  return code.end - code.start <= MAX_BYTES &&
         follow(code, address, NULL, &after) &&
         find_call(&after, address) == NULL;
}
