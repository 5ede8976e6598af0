/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * x86_64.h -- see arch.h. */
#pragma once

enum { ARCH_PAGE = 4096 };

/* System V ABI, AMD64 supplement, figure 3.36. */
enum {
  ARCH_REGISTER_FRAME_POINTER = 6,
  ARCH_REGISTER_STACK_POINTER = 7,
  ARCH_REGISTER_RETURN = 16,
  ARCH_RETURN_AT = -1
};

/* ---- frames ---- */

enum { ARCH_CODE_STEP = 1, ARCH_FRAME_IS_AT_TOP = 1 };

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

/* Reads the interrupted registers from the kernel's record, to which the
 * stack pointer `sp' points where the handler returns to. */
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

/* Returns anything: there is no such register. */
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

/* Returns the thread pointer, which pthread_t is in the GNU C library. */
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

/* ---- relocations ---- */

enum {
  ARCH_RELOCATION_CALL = R_X86_64_JUMP_SLOT,
  ARCH_RELOCATION_DATA = R_X86_64_GLOB_DAT,
  ARCH_RELOCATION_WORD = R_X86_64_64
};
