/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * instruction.h -- where the processor may go from an instruction.
 */
#ifndef MPROF_ARCH_INSTRUCTION_H
#define MPROF_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
  INSTRUCTION_PLAIN,   /* on to the next one */
  INSTRUCTION_RETURN,
  INSTRUCTION_JUMP,    /* to `target' */
  INSTRUCTION_BRANCH,  /* to `target' or on to the next one */
  INSTRUCTION_CALL,    /* to `target', and then on */
  INSTRUCTION_STOP,    /* traps: nothing comes after it */
  INSTRUCTION_UNKNOWN  /* cannot be read */
};

struct instruction {
  enum instruction_kind kind;
  size_t length;
  uintptr_t target; /* 0: it depends on registers */
};

/* Read the instruction at `address', of which the bytes before `end' are
 * there.  A jump or call through a constant place in memory (a linkage table)
 * has the target that this place holds now.  May run inside the hook. */
struct instruction arch_instruction(uintptr_t address, uintptr_t end);

/* Call `found' with the address of each instruction in [start, end) that
 * calls through the place in memory `place', directly or by a stub of the
 * linkage table that lies there too.  May find some that are none (it does
 * not know where instructions begin), and misses none.  Not inside the
 * hook. */
void arch_calls_through(uintptr_t start, uintptr_t end, uintptr_t place,
                        void (*found)(void *closure, uintptr_t address),
                        void *closure);

/* Call `found' with the address and the target of each jump that leads out
 * of [start, end); the same holds of it. */
void arch_jumps_out(uintptr_t start, uintptr_t end,
                    void (*found)(void *closure, uintptr_t address,
                                  uintptr_t target),
                    void *closure);

/* Whether `address' is in a jump or a branch, which may have prefixes, when
 * instructions are read one after the other from `start'; true also when one
 * before it cannot be read.  For code that a compiler made, which has nothing
 * else between.  Not inside the hook. */
bool arch_is_jump(uintptr_t start, uintptr_t address);

#endif
