/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * x86_64.h -- see arch.h.
 */
#ifndef MPROF_ARCH_X86_64_H
#define MPROF_ARCH_X86_64_H

#include <sys/syscall.h>

enum { ARCH_PAGE = 4096 };

/* System V ABI, AMD64 supplement, figure 3.36. */
enum {
  ARCH_REGISTER_FRAME_POINTER = 6,
  ARCH_REGISTER_STACK_POINTER = 7,
  ARCH_REGISTER_RETURN = 16,
  ARCH_RETURN_AT = -1
};

/* ---- frames ---- */

enum { ARCH_FRAME_IS_AT_TOP = 1 };

static inline uintptr_t
arch_return_address(uintptr_t word)
{
  return word;
}

#define ARCH_FRAME ((const uintptr_t *)__builtin_frame_address(0))

static inline uintptr_t
arch_frame_stack(const uintptr_t *frame)
{
  return (uintptr_t)(frame + 2);
}

/* Call-frame information has this here. */
static inline bool
arch_frame_set(uintptr_t at, int32_t *distance)
{
  (void)at;
  (void)distance;
  return false;
}

/* `movq $0, -N(%rbp)', with N in one byte or in four. */
static inline int
arch_zeroed(uintptr_t at, int32_t *distance)
{
  const uint8_t *code = (const uint8_t *)at;
  if (code[0] != 0x48 || code[1] != 0xC7)
    return -1;
  if (code[2] == 0x45)
    *distance = (int8_t)code[3];
  else if (code[2] == 0x85)
    memcpy(distance, code + 3, sizeof *distance);
  else
    return -1;
  return *distance < 0 ? ARCH_REGISTER_FRAME_POINTER : -1;
}

/* ---- signals ---- */

/* Where the handler returns to, the stack pointer `sp' points to the kernel's
 * record of the interrupted registers. */
static inline const uintptr_t *
arch_interrupted(uintptr_t sp, uintptr_t *ip, uintptr_t *interrupted_sp,
                 uintptr_t *frame)
{
  const ucontext_t *context = (const ucontext_t *)sp;
  const greg_t *const registers = context->uc_mcontext.gregs;
  *ip = (uintptr_t)registers[REG_RIP];
  *interrupted_sp = (uintptr_t)registers[REG_RSP];
  *frame = (uintptr_t)registers[REG_RBP];
  return (const uintptr_t *)&registers[REG_RIP];
}

/* There is no such register. */
static inline const uintptr_t *
arch_link(const uintptr_t *ip)
{
  return ip;
}

/* Handlers return to the C library, which has call-frame information. */
static inline bool
arch_is_signal_return(uintptr_t at)
{
  (void)at;
  return false;
}

/* ---- threads ---- */

enum {
  ARCH_RED_ZONE = 128,
  ARCH_THREAD_VECTOR = 1,
  ARCH_THREAD_IS_BELOW = 0
};

/* In the GNU C library, pthread_t is the thread pointer. */
static inline uintptr_t
arch_thread_pointer(pthread_t thread)
{
  return (uintptr_t)thread;
}

static inline void
arch_add(uint64_t *sum, uint64_t more)
{
  __asm__ volatile("addq %1, %0" : "+m"(*sum) : "er"(more) : "cc", "memory");
}

static inline long
arch_system_call(long number, const long arguments[6])
{
  long result;
  register long d __asm__("r10") = arguments[3];
  register long e __asm__("r8") = arguments[4];
  register long f __asm__("r9") = arguments[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(arguments[0]), "S"(arguments[1]),
                     "d"(arguments[2]), "r"(d), "r"(e), "r"(f)
                   : "rcx", "r11", "memory");
  return result;
}

/* ---- code that calls ---- */

/* The target of `call target' before `site', and below the slot of `call
 * *slot(%rip)'; 0: it is another instruction. */
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

/* The slot of `jmp *slot(%rip)', perhaps after `endbr64'; 0: the code at `at'
 * is no entry of a linkage table. */
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

enum { ARCH_CODE_STEP = 1 };

/* The 64-bit register that `mov ..., %r' at `code' loads; 16: it is another
 * instruction. */
static inline unsigned
arch_loaded_register(const uint8_t *code)
{
  return (code[0] & 0xF8) == 0x48 && code[1] == 0x8B
             ? (code[0] & 4u) << 1 | (code[2] >> 3 & 7u)
             : 16;
}

/* The address of `mov offset(%base), %rsi' if it is the last instruction
 * before the `call target' before `site', except for `mov %r, %rdi';
 * otherwise 0. */
static inline uintptr_t
arch_second_argument(uintptr_t site, int32_t *offset, unsigned *base)
{
  const uint8_t *code = (const uint8_t *)site - 5;
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

/* The slot of the nearest `mov slot(%rip), %r' before `end', unless a call,
 * jump, return or other load of the register may be between; otherwise 0. */
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

/* The nearest jump to `to' between `start' and `to'; 0: there is none. */
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

/* For the call before `site' in the function that begins at `start': the slot
 * of the variable, and the offset in its table; 0: it is not from a table.
 * Where a jump leads to the call, the table may be loaded before the jump. */
static inline uintptr_t
arch_table_argument(uintptr_t site, uintptr_t start, int32_t *offset)
{
  unsigned base = 0;
  const uintptr_t load = arch_second_argument(site, offset, &base);
  uintptr_t slot, jump;
  if (load == 0 || (slot = arch_slot_loaded(load, base)) != 0)
    return load == 0 ? 0 : slot;
  jump = arch_jump_to(load, load - start > 4096 ? load - 4096 : start);
  return jump == 0 ? 0 : arch_slot_loaded(jump, base);
}

/* ---- relocations ---- */

enum {
  ARCH_RELOCATION_CALL = R_X86_64_JUMP_SLOT,
  ARCH_RELOCATION_DATA = R_X86_64_GLOB_DAT,
  ARCH_RELOCATION_WORD = R_X86_64_64
};

#endif
