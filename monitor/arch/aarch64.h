/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * aarch64.h -- see arch.h.  Chapter C6 of the Arm Architecture Reference
 * Manual for A-profile describes the instructions, by name.
 */
#ifndef MPROF_ARCH_AARCH64_H
#define MPROF_ARCH_AARCH64_H

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
 * else above them, except for the arguments of calls.
 */

enum { ARCH_FRAME_IS_AT_TOP = 0 };

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

/* Where the handler returns to, the stack pointer `sp' points to the kernel's
 * record of the interrupted registers. */
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

/* In that record it is two words before the instruction pointer `ip'. */
static inline const uintptr_t *
arch_link(const uintptr_t *ip)
{
  return ip - 2;
}

/* ---- threads ---- */

enum { ARCH_RED_ZONE = 0, ARCH_THREAD_VECTOR = 0, ARCH_THREAD_IS_BELOW = 1 };

/* The C library's record of a thread is at a fixed distance below it. */
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

/* ---- code that calls ---- */

enum { ARCH_CODE_STEP = 4 };

/* The signed number in the `bits' bits of an instruction from bit `first'. */
static inline intptr_t
arch_field(uint32_t code, unsigned first, unsigned bits)
{
  return (intptr_t)((int32_t)(code << (32 - first - bits)) >> (32 - bits));
}

/* BL. */
static inline bool
arch_is_call(uint32_t code)
{
  return (code & 0xFC000000) == 0x94000000;
}

/* BLR. */
static inline bool
arch_is_call_of_register(uint32_t code)
{
  return (code & 0xFFFFFC1F) == 0xD63F0000;
}

/* B, BR or RET: control does not reach the next instruction from here. */
static inline bool
arch_is_end(uint32_t code)
{
  return (code & 0xFC000000) == 0x14000000 ||
         (code & 0xFFDFFC1F) == 0xD61F0000 ||
         (code & 0xFFFFFC1F) == 0xD65F0000;
}

static inline uintptr_t
arch_call_target(uintptr_t site)
{
  const uint32_t code = arch_instruction(site - 4);
  return arch_is_call(code)
             ? site - 4 + (uintptr_t)(arch_field(code, 0, 26) * 4)
             : 0;
}

/* Whether the instruction may change register `r'.  Nearly all instructions
 * have their destination in the same bits, except for stores and jumps. */
static inline bool
arch_changes(uint32_t code, unsigned r)
{
  const bool memory = (code & 0x0A000000) == 0x08000000;
  const bool pair = (code & 0x3A000000) == 0x28000000;
  if ((memory && (code >> 22 & 1) == 0) || (code & 0x1C000000) == 0x14000000)
    return false;
  return (code & 31) == r || (pair && (code >> 10 & 31) == r);
}

/* The target of the jump at `at'; 0: it is another instruction. */
static inline uintptr_t
arch_jump_target(uintptr_t at)
{
  const uint32_t code = arch_instruction(at);
  if ((code & 0xFC000000) == 0x14000000) /* B */
    return at + (uintptr_t)(arch_field(code, 0, 26) * 4);
  if ((code & 0xFF000010) == 0x54000000 || /* B.cond, CBZ, CBNZ */
      (code & 0x7E000000) == 0x34000000)
    return at + (uintptr_t)(arch_field(code, 5, 19) * 4);
  if ((code & 0x7E000000) == 0x36000000) /* TBZ, TBNZ */
    return at + (uintptr_t)(arch_field(code, 5, 14) * 4);
  return 0;
}

/* The instruction from which control reaches that at `at', searched down to
 * `start'; 0: unknown.  After an end it is the nearest jump to `at'. */
static inline uintptr_t
arch_before(uintptr_t at, uintptr_t start)
{
  uintptr_t jump = at - 4;
  if (at <= start)
    return 0;
  if (!arch_is_end(arch_instruction(jump)))
    return jump;
  while (jump > start)
    if (arch_jump_target(jump -= 4) == at)
      return jump;
  return 0;
}

/* A call preserves the registers from x19 on. */
static inline bool
arch_loses(uint32_t code, unsigned r)
{
  return arch_changes(code, r) ||
         (r < 19 && (arch_is_call(code) || arch_is_call_of_register(code)));
}

/* The value of register `r' before the instruction at `at', if ADRP, with or
 * without ADD, made it: an address in the file.  0: it is another value.  In
 * a loop that is entered from further down, registers from x19 on are assumed
 * to keep their values. */
static inline uintptr_t
arch_address_in(unsigned r, uintptr_t at, uintptr_t start)
{
  uintptr_t more = 0;
  while (at > start) {
    const uintptr_t before = arch_before(at, start);
    if (before == 0 && r < 19)
      return 0;
    at = before != 0 ? before : at - 4;
    const uint32_t code = arch_instruction(at);
    if ((code & 0x9F00001F) == (0x90000000 | r)) {
      const intptr_t pages =
          arch_field(code, 5, 19) * 4 + (intptr_t)(code >> 29 & 3);
      return (at & ~(uintptr_t)0xFFF) + (uintptr_t)(pages * 4096) + more;
    }
    if ((code & 0xFFC0001F) == (0x91000000 | r)) {
      more += code >> 10 & 0xFFF;
      r = code >> 5 & 31;
    } else if (arch_loses(code, r)) {
      return 0;
    }
  }
  return 0;
}

/* The slot in the file from which register `r' was loaded before `end'; 0: it
 * was not. */
static inline uintptr_t
arch_slot_loaded(uintptr_t end, unsigned r, uintptr_t start)
{
  for (uintptr_t at = end; (at = arch_before(at, start)) != 0;) {
    const uint32_t code = arch_instruction(at);
    if ((code & 0xFFC0001F) == (0xF9400000 | r)) {
      const uintptr_t base = arch_address_in(code >> 5 & 31, at, start);
      return base == 0 ? 0 : base + (code >> 10 & 0xFFF) * 8;
    }
    if (arch_loses(code, r))
      return 0;
  }
  return 0;
}

static inline uintptr_t
arch_call_slot(uintptr_t site)
{
  enum { MOST = 64 };
  const uint32_t code = arch_instruction(site - 4);
  return arch_is_call_of_register(code)
             ? arch_slot_loaded(site - 4, code >> 5 & 31, site - MOST)
             : 0;
}

/* ADRP x16, LDR x17, ADD x16, BR x17, perhaps after BTI c. */
static inline uintptr_t
arch_linkage_slot(uintptr_t at)
{
  if (at % 4 != 0)
    return 0;
  if (arch_instruction(at) == 0xD503245F)
    at += 4;
  return arch_instruction(at + 12) == 0xD61F0220
             ? arch_slot_loaded(at + 8, 17, at)
             : 0;
}

/* For the call before `site' in the function that begins at `start': the slot
 * of the variable, and the offset in its table; 0: it is not from a table. */
static inline uintptr_t
arch_table_argument(uintptr_t site, uintptr_t start, int32_t *offset)
{
  enum { ARGUMENT = 1, MOST = 8, FARTHEST = 4096 };
  const uintptr_t call = site - 4;
  const uintptr_t first = call - start > FARTHEST ? call - FARTHEST : start;
  uintptr_t load = call;
  uint32_t code;
  do {
    if (load == first || call - load == MOST * 4)
      return 0;
    code = arch_instruction(load -= 4);
  } while (!arch_changes(code, ARGUMENT) && !arch_is_end(code));
  if ((code & 0xFFC0001F) != (0xF9400000 | ARGUMENT))
    return 0;
  *offset = (int32_t)((code >> 10 & 0xFFF) * 8);
  return arch_slot_loaded(load, code >> 5 & 31, first);
}

/* ---- relocations ---- */

enum {
  ARCH_RELOCATION_CALL = R_AARCH64_JUMP_SLOT,
  ARCH_RELOCATION_DATA = R_AARCH64_GLOB_DAT,
  ARCH_RELOCATION_WORD = R_AARCH64_ABS64
};

#endif
