/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * system_call.h -- a system call by its number, without the C library: it may
 * be made wherever that may not be asked, and errno stays as it is.
 */
#ifndef MPROF_SYSTEM_CALL_H
#define MPROF_SYSTEM_CALL_H

/* Gives back what the kernel does: minus an errno value where it fails. */
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

#endif
