/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_call.c -- follow code forward.
 *
 * Following.  All ways from an address are followed until they return, each
 * instruction of a way once (a loop is entered once).  A call to code that is
 * itself short and calls nothing does not count: it is followed like a
 * branch.  So is a jump to another function.  What cannot be followed (a
 * target in a register, too many instructions) means: not the last call.
 */
#include "last_call.h"

#include <stddef.h>

#include "arch/instruction.h"

/* Work at most for one question: nearly all answers need below 20
 * instructions. */
enum { MAX_INSTRUCTIONS = 256, MAX_TARGETS = 24 };

bool
last_call_at(uintptr_t address, last_call_end_fn *end_of, void *closure)
{
  uintptr_t targets[MAX_TARGETS] = { address };
  size_t count = 1, instructions = 0;

  for (size_t next = 0; next < count; next++) {
    uintptr_t at = targets[next], end = end_of(closure, at);
    for (bool going_on = true; going_on;) {
      struct instruction i = arch_instruction(at, end);
      size_t known = 0;
      if (++instructions > MAX_INSTRUCTIONS)
        return false;
      switch (i.kind) {
      case INSTRUCTION_UNKNOWN:
        return false;
      case INSTRUCTION_RETURN:
      case INSTRUCTION_STOP:
        going_on = false;
        break;
      case INSTRUCTION_JUMP:
        going_on = false;
        /* fall through */
      case INSTRUCTION_BRANCH:
      case INSTRUCTION_CALL:
        while (known < count && targets[known] != i.target)
          known++;
        if (i.target == 0 || known == MAX_TARGETS)
          return false;
        if (known == count)
          targets[count++] = i.target;
        break;
      case INSTRUCTION_PLAIN:
        break;
      }
      at += i.length;
    }
  }
  return true;
}
