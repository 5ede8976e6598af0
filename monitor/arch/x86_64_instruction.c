/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * x86_64_instruction.c -- read single instructions with Zydis, and search
 * code for calls by their bytes.
 *
 * The search takes every byte for the first of an instruction: who asks looks
 * again, or a false answer does no harm.
 */
#include <string.h>

#include <Zydis/Zydis.h>

#include "instruction.h"

/* A stub of the linkage table is `jmp *place(%rip)', perhaps behind ENDBR64
 * and a BND prefix. */
enum { STUB_PREFIX = 5, MAX_STUBS = 16 };

static uintptr_t
relative(uintptr_t next, int32_t distance)
{
  return next + (uintptr_t)(intptr_t)distance;
}

static int32_t
read_distance(uintptr_t address)
{
  int32_t distance;
  memcpy(&distance, (const void *)address, sizeof distance);
  return distance;
}

/* FF /2 and FF /4 with a place relative to the next instruction. */
static uintptr_t
indirect_target(const ZydisDecodedInstruction *i, uintptr_t address)
{
  const uintptr_t next = address + i->length;
  uintptr_t target;
  if ((i->attributes & ZYDIS_ATTRIB_HAS_MODRM) == 0 || i->raw.modrm.mod != 0 ||
      i->raw.modrm.rm != 5 || i->raw.disp.size != 32)
    return 0;
  memcpy(&target,
         (const void *)relative(next, (int32_t)i->raw.disp.value),
         sizeof target);
  return target;
}

static uintptr_t
target_of(const ZydisDecodedInstruction *i, uintptr_t address)
{
  if (i->raw.imm[0].is_relative)
    return address + i->length + (uintptr_t)i->raw.imm[0].value.s;
  return indirect_target(i, address);
}

struct instruction
arch_instruction(uintptr_t address, uintptr_t end)
{
  ZydisDecoder decoder;
  ZydisDecodedInstruction i;
  struct instruction result = { .kind = INSTRUCTION_UNKNOWN };

  if (address >= end ||
      !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                     ZYDIS_STACK_WIDTH_64)) ||
      !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
          &decoder, NULL, (const void *)address, end - address, &i)))
    return result;
  result.length = i.length;
  switch (i.meta.category) {
  case ZYDIS_CATEGORY_RET:
    result.kind = INSTRUCTION_RETURN;
    break;
  case ZYDIS_CATEGORY_UNCOND_BR:
    result.kind = INSTRUCTION_JUMP;
    result.target = target_of(&i, address);
    break;
  case ZYDIS_CATEGORY_COND_BR:
    result.kind = INSTRUCTION_BRANCH;
    result.target = target_of(&i, address);
    break;
  case ZYDIS_CATEGORY_CALL:
    result.kind = INSTRUCTION_CALL;
    result.target = target_of(&i, address);
    break;
  default:
    result.kind = i.mnemonic == ZYDIS_MNEMONIC_UD2 ||
                          i.mnemonic == ZYDIS_MNEMONIC_HLT
                      ? INSTRUCTION_STOP
                      : INSTRUCTION_PLAIN;
    break;
  }
  return result;
}

void
arch_calls_through(uintptr_t start, uintptr_t end, uintptr_t place,
                   void (*found)(void *closure, uintptr_t address),
                   void *closure)
{
  const uint8_t *code = (const uint8_t *)start;
  const size_t size = end - start;
  uintptr_t stubs[MAX_STUBS];
  size_t stub_count = 0;

  for (size_t i = 0; i + 6 <= size; i++) {
    if (code[i] != 0xFF || (code[i + 1] != 0x15 && code[i + 1] != 0x25) ||
        relative(start + i + 6, read_distance(start + i + 2)) != place)
      continue;
    found(closure, start + i);
    if (code[i + 1] == 0x25 && stub_count < MAX_STUBS)
      stubs[stub_count++] = start + i;
  }
  for (size_t i = 0; stub_count > 0 && i + 5 <= size; i++) {
    uintptr_t target;
    if (code[i] != 0xE8 && code[i] != 0xE9)
      continue;
    target = relative(start + i + 5, read_distance(start + i + 1));
    for (size_t s = 0; s < stub_count; s++)
      if (target <= stubs[s] && target + STUB_PREFIX >= stubs[s])
        found(closure, start + i);
  }
}

void
arch_jumps_out(uintptr_t start, uintptr_t end,
               void (*found)(void *closure, uintptr_t address,
                             uintptr_t target),
               void *closure)
{
  const uint8_t *code = (const uint8_t *)start;
  const size_t size = end - start;

  for (size_t i = 0; i + 5 <= size; i++) {
    uintptr_t target;
    if (code[i] == 0xE9)
      target = relative(start + i + 5, read_distance(start + i + 1));
    else if (code[i] == 0x0F && (code[i + 1] & 0xF0) == 0x80 && i + 6 <= size)
      target = relative(start + i + 6, read_distance(start + i + 2));
    else
      continue;
    if (target < start || target >= end)
      found(closure, start + i, target);
  }
}

bool
arch_is_jump(uintptr_t start, uintptr_t address)
{
  for (;;) {
    const struct instruction i = arch_instruction(start, UINTPTR_MAX);
    if (i.kind == INSTRUCTION_UNKNOWN)
      return true;
    start += i.length;
    if (start > address)
      return i.kind == INSTRUCTION_JUMP || i.kind == INSTRUCTION_BRANCH;
  }
}
