/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * aarch64.h -- see arch.h.  Chapter C6 of the Arm Architecture Reference
 * Manual for A-profile describes the instructions, by name. */
#pragma once

#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

enum { ARCH_PAGE = 1 << 16 };

/* DWARF for the Arm 64-bit Architecture, section 4.1. */
enum {
  ARCH_REGISTER_FRAME_POINTER = 29,
  ARCH_REGISTER_STACK_POINTER = 31,
  ARCH_REGISTER_RETURN = 30,
  ARCH_RETURN_AT = 0
};

/* ---- frames ----
 *
 * GCC keeps the first two words at the lower end of a frame and everything
 * else above them, except for the arguments of calls. */

enum { ARCH_CODE_STEP = 4, ARCH_FRAME_IS_AT_TOP = 0 };

/* Pointer authentication signs a return address in its unused upper bits.
 * Clearing them works with any key, and on processors without signatures.
 * Programs have addresses of 48 bits, unless they ask for more. */
static inline uintptr_t
arch_return_address(uintptr_t word)
{
  return word & ((UINT64_C(1) << 48) - 1);
}

/* Clang keeps these two words at the upper end. */
#ifdef __clang__
#define ARCH_FRAME_END ((uintptr_t)__builtin_frame_address(0) + 16)
#else
#define ARCH_FRAME_END ((uintptr_t)__builtin_dwarf_cfa())
#endif
#define ARCH_FRAME                                                           \
  ((const uintptr_t[]){                                                      \
      *(uintptr_t *)__builtin_frame_address(0),                              \
      arch_return_address((uintptr_t)__builtin_return_address(0)),           \
      ARCH_FRAME_END})

static inline uintptr_t
arch_frame_stack(const uintptr_t *frame)
{
  return frame[2];
}

static inline uint32_t
arch_instruction(uintptr_t at)
{
  uint32_t code;
  memcpy(&code, (const void *)at, sizeof code);
  return code;
}

/* ADD x29, sp, #N, of which MOV x29, sp is a form. */
static inline bool
arch_frame_set(uintptr_t at, int32_t *distance)
{
  const uint32_t code = arch_instruction(at);
  const unsigned shift = (code >> 22 & 1) != 0 ? 12 : 0;
  *distance = (int32_t)((code >> 10 & 0xFFF) << shift);
  return (code & 0xFF8003FF) == 0x910003FD;
}

/* STR xzr, [xN, #...] or STUR. */
static inline int
arch_zeroed(uintptr_t at, int32_t *distance)
{
  const uint32_t code = arch_instruction(at);
  if ((code & 0xFFC0001F) == 0xF900001F)
    *distance = (int32_t)((code >> 10 & 0xFFF) * 8);
  else if ((code & 0xFFE00C1F) == 0xF800001F)
    *distance = (int32_t)(code << 11) >> 23;
  else
    return -1;
  return (int)(code >> 5 & 31);
}

/* ---- signals ---- */

/* Reads the interrupted registers from the kernel's record, to which the
 * stack pointer `sp' points where the handler returns to. */
static inline const uintptr_t *
arch_interrupted(uintptr_t sp, uintptr_t *ip, uintptr_t *interrupted_sp,
                 uintptr_t *frame)
{
  const ucontext_t *context = (const ucontext_t *)(sp + sizeof(siginfo_t));
  const mcontext_t *const m = &context->uc_mcontext;
  *ip = m->pc;
  *interrupted_sp = m->sp;
  *frame = m->regs[ARCH_REGISTER_FRAME_POINTER];
  return (const uintptr_t *)&m->pc;
}

/* Returns where the register is in that record: two words before the
 * instruction pointer `ip'. */
static inline const uintptr_t *
arch_link(const uintptr_t *ip)
{
  return ip - 2;
}

/* ---- threads ---- */

enum { ARCH_RED_ZONE = 0, ARCH_THREAD_VECTOR = 0, ARCH_THREAD_IS_BELOW = 1 };

/* Returns the thread pointer.  The C library's record of a thread is at a
 * fixed distance below it. */
static inline uintptr_t
arch_thread_pointer(pthread_t thread)
{
  return (uintptr_t)thread + (uintptr_t)__builtin_thread_pointer() -
         (uintptr_t)pthread_self();
}

static inline void
arch_add(uint64_t *sum, uint64_t more)
{
  __atomic_store_n(sum, *sum + more, __ATOMIC_RELAXED);
  __asm__ volatile("" ::: "memory");
}

static inline long
arch_system_call(long number, const long arguments[6])
{
  register long n __asm__("x8") = number;
  register long a __asm__("x0") = arguments[0];
  register long b __asm__("x1") = arguments[1];
  register long c __asm__("x2") = arguments[2];
  register long d __asm__("x3") = arguments[3];
  register long e __asm__("x4") = arguments[4];
  register long f __asm__("x5") = arguments[5];
  __asm__ volatile("svc #0"
                   : "+r"(a)
                   : "r"(n), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f)
                   : "memory");
  return a;
}

/* MOV x8, #139; SVC #0, in the vDSO, which has no call-frame information for
 * it.  QEMU 7 emulates processes without a vDSO, and has this code on a page
 * of its own. */
static inline bool
arch_is_signal_return(uintptr_t at)
{
  const uintptr_t object = getauxval(AT_SYSINFO_EHDR);
  const Elf64_Ehdr *const head = (const Elf64_Ehdr *)object;
  unsigned char resident;
  const uintptr_t page = at & -(uintptr_t)getauxval(AT_PAGESZ);
  const long arguments[6] = {(long)page, 1, (long)(uintptr_t)&resident};
  if (at % 4 != 0)
    return false;
  if (object != 0) {
    const Elf64_Phdr *const part =
        (const Elf64_Phdr *)(object + head->e_phoff);
    if (part->p_type != PT_LOAD || at - object >= part->p_memsz)
      return false;
  } else if (arch_system_call(SYS_mincore, arguments) != 0) {
    return false;
  }
  return arch_instruction(at) == 0xD2801168 &&
         arch_instruction(at + 4) == 0xD4000001;
}

/* ---- relocations ---- */

enum {
  ARCH_RELOCATION_CALL = R_AARCH64_JUMP_SLOT,
  ARCH_RELOCATION_DATA = R_AARCH64_GLOB_DAT,
  ARCH_RELOCATION_WORD = R_AARCH64_ABS64
};
