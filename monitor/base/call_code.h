/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_code.h -- what instructions before a return address say of the call.
 *
 * Instructions can be told for certain only from the beginning of a function.
 * Read backward from a place, other bytes can be taken for one of these: who
 * asks has to check that what they name is of the kind that it should be.
 */
#ifndef MPROF_ARCH_CALL_CODE_H
#define MPROF_ARCH_CALL_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where the instruction `call target' before `site' goes, or of `call
 * *slot(%rip)' the slot; 0: it is another one. */
static inline uintptr_t
arch_call_target(uintptr_t site)
{
  const uint8_t *const code = (const uint8_t *)site;
  int32_t distance;
  memcpy(&distance, code - 4, sizeof distance);
  return code[-5] == 0xE8 ? site + (uintptr_t)(intptr_t)distance : 0;
}

static inline uintptr_t
arch_call_slot(uintptr_t site)
{
  const uint8_t *const code = (const uint8_t *)site;
  int32_t distance;
  memcpy(&distance, code - 4, sizeof distance);
  return code[-6] == 0xFF && code[-5] == 0x15
             ? site + (uintptr_t)(intptr_t)distance
             : 0;
}

/* The slot that the entry at `at' of a linkage table goes by: `jmp
 * *slot(%rip)', perhaps after `endbr64'.  0: it is other code. */
static inline uintptr_t
arch_linkage_slot(uintptr_t at)
{
  static const uint8_t endbr64[] = {0xF3, 0x0F, 0x1E, 0xFA};
  const uint8_t *code = (const uint8_t *)at;
  int32_t distance;
  if (memcmp(code, endbr64, sizeof endbr64) == 0)
    code += sizeof endbr64;
  if (code[0] == 0xF2) /* bnd */
    code++;
  memcpy(&distance, code + 2, sizeof distance);
  return code[0] == 0xFF && code[1] == 0x25
             ? (uintptr_t)(code + 6) + (uintptr_t)(intptr_t)distance
             : 0;
}

enum { ARCH_DIRECT_CALL_BYTES = 5 };

/* The register that `mov ..., %r' at `code' loads, of eight bytes; 16: that
 * is another instruction. */
static inline unsigned
arch_loaded_register(const uint8_t *code)
{
  return (code[0] & 0xF8) == 0x48 && code[1] == 0x8B
             ? (code[0] & 4u) << 1 | (code[2] >> 3 & 7u)
             : 16;
}

/* Where `mov offset(%base), %rsi' is, the last instruction before `call', or
 * before `mov %r, %rdi' there; 0: neither is. */
static inline uintptr_t
arch_second_argument(uintptr_t call, int32_t *offset, unsigned *base)
{
  const uint8_t *code = (const uint8_t *)call;
  if ((code[-3] & 0xFB) == 0x48 && code[-2] == 0x89 &&
      (code[-1] & 0xC7) == 0xC7)
    code -= 3;
  for (int bytes = 4; bytes <= 7; bytes += 3) {
    const uint8_t *const load = code - bytes;
    if ((load[0] & 0xFE) != 0x48 || load[1] != 0x8B ||
        (load[2] & 0xF8) != (bytes == 4 ? 0x70 : 0xB0))
      continue;
    memcpy(offset, load + 3, sizeof *offset);
    if (bytes == 4)
      *offset = (int8_t)load[3];
    *base = (load[0] & 1u) << 3 | (load[2] & 7u);
    return (uintptr_t)load;
  }
  return 0;
}

/* The slot of `mov slot(%rip), %r' shortly before `end', between which and
 * that there can be no call, no other load of the register, and no return or
 * jump; 0: none. */
static inline uintptr_t
arch_slot_loaded(uintptr_t end, unsigned r)
{
  enum { MOST = 40, LOAD = 7 };
  for (uintptr_t at = end - 1; at >= end - MOST; at--) {
    const uint8_t *const code = (const uint8_t *)at;
    int32_t slot;
    if (code[0] == 0xE8 || code[0] == 0xFF || code[0] == 0xC3 ||
        code[0] == 0xE9 || code[0] == 0xEB)
      return 0;
    if (at + 3 > end || arch_loaded_register(code) != r)
      continue;
    memcpy(&slot, code + 3, sizeof slot);
    return (code[2] & 0xC7) == 0x05 && at + LOAD <= end
               ? at + LOAD + (uintptr_t)(intptr_t)slot
               : 0;
  }
  return 0;
}

/* Where the nearest jump is, before `to' and not before `start', that goes to
 * that; 0: there is none. */
static inline uintptr_t
arch_jump_to(uintptr_t to, uintptr_t start)
{
  for (uintptr_t at = to - 2; at >= start; at--) {
    const uint8_t *const code = (const uint8_t *)at;
    const bool is_short = code[0] >> 4 == 7 || code[0] == 0xEB;
    const bool is_wide = code[0] == 0x0F && code[1] >> 4 == 8;
    const uintptr_t end = at + (is_short ? 2 : is_wide ? 6 : 5);
    int32_t distance = (int8_t)code[1];
    if ((!is_short && !is_wide && code[0] != 0xE9) || end > to)
      continue;
    if (!is_short)
      memcpy(&distance, (const void *)(end - 4), sizeof distance);
    if (end + (uintptr_t)(intptr_t)distance == to)
      return at;
  }
  return 0;
}

/* Of a `call' in the function that begins at `start': whether its second
 * argument is from a table that a variable of the file points to.  The slot
 * of that, and the offset in the table; 0: it is not so.  Compilers load the
 * table once where they call one of two functions. */
static inline uintptr_t
arch_table_argument(uintptr_t call, uintptr_t start, int32_t *offset)
{
  unsigned base = 0;
  const uintptr_t load = arch_second_argument(call, offset, &base);
  uintptr_t slot, jump;
  if (load == 0 || (slot = arch_slot_loaded(load, base)) != 0)
    return load == 0 ? 0 : slot;
  jump = arch_jump_to(load, load - start > 4096 ? load - 4096 : start);
  return jump == 0 ? 0 : arch_slot_loaded(jump, base);
}

#endif
