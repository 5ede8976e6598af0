/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * traced_registers.h -- the registers of a thread that this process traces,
 * on each processor.
 *
 *     arch_traced_ip, arch_traced_stack, arch_traced_thread_pointer
 *                             return the instruction pointer, the stack
 *                             pointer, and the thread pointer, which
 *                             thread-local variables are relative to
 *     arch_traced_call        sets CALL, all zero before, to the call in which
 *                             the thread waits, for arch_traced_call_again;
 *                             to be called just before the thread is stopped
 *     arch_traced_call_again  after the stop: a system call that failed with
 *                             EINTR because of it is made again when the
 *                             thread goes on, unless a signal handler runs
 *                             first.  R has the registers.  The result is the
 *                             status of waitpid, of a later stop if there was
 *                             one.
 *
 * close is not repeated: it has closed the file even if it was interrupted.
 */
#pragma once

#include "arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

enum {
  ARCH_RESTART = 514,            /* the kernel's ERESTARTNOHAND */
  ARCH_AT_CALL = SIGTRAP | 0x80, /* a stop with PTRACE_O_TRACESYSGOOD */
};

/* A system call in which a thread waits; all zero: it does not, or the
 * processor needs no more. */
struct traced_call {
  unsigned long long arguments[6], sp, pc;
  unsigned long long switches; /* how often the thread has waited */
};

/* Writes the registers of the thread, which stands. */
static inline void
arch_traced_set(pid_t thread, struct user_regs_struct *r)
{
  struct iovec part = {r, sizeof *r};
  ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &part);
}

#if defined __x86_64__

static inline uint64_t
arch_traced_ip(const struct user_regs_struct *r)
{
  return r->rip;
}

static inline uint64_t
arch_traced_stack(const struct user_regs_struct *r)
{
  return r->rsp;
}

static inline uint64_t
arch_traced_thread_pointer(pid_t thread, const struct user_regs_struct *r)
{
  (void)thread;
  return r->fs_base;
}

static inline void
arch_traced_call(pid_t thread, struct traced_call *call)
{
  (void)thread;
  (void)call;
}

/* Sets the result to ARCH_RESTART: then the kernel makes the call again, or
 * lets it fail if a handler runs first. */
static inline int
arch_traced_call_again(pid_t thread, const struct traced_call *call,
                       struct user_regs_struct *r, int status)
{
  (void)call;
  if ((long)r->orig_rax >= 0 && r->orig_rax != SYS_close &&
      r->rax == (unsigned long long)-EINTR) {
    r->rax = (unsigned long long)-ARCH_RESTART;
    arch_traced_set(thread, r);
  }
  return status;
}

#elif defined __aarch64__

static inline uint64_t
arch_traced_ip(const struct user_regs_struct *r)
{
  return r->pc;
}

static inline uint64_t
arch_traced_stack(const struct user_regs_struct *r)
{
  return r->sp;
}

static inline uint64_t
arch_traced_thread_pointer(pid_t thread, const struct user_regs_struct *r)
{
  enum { TLS = 0x401 }; /* NT_ARM_TLS */
  uint64_t pointer = 0;
  struct iovec part = {&pointer, sizeof pointer};
  (void)r;
  ptrace(PTRACE_GETREGSET, thread, TLS, &part);
  return pointer;
}

/* Reads the file NAME of THREAD in /proc. */
static inline void
arch_traced_read(pid_t thread, const char *name, char text[], size_t bytes)
{
  snprintf(text, bytes, "/proc/%d/%s", (int)thread, name);
  FILE *const file = fopen(text, "re");
  const size_t length = file == NULL ? 0 : fread(text, 1, bytes - 1, file);
  text[length] = '\0';
  if (file != NULL)
    fclose(file);
}

static inline void
arch_traced_call(pid_t thread, struct traced_call *call)
{
  static const char switches[] = "\nvoluntary_ctxt_switches:";
  unsigned long long *const a = call->arguments;
  char text[4096];
  *call = (struct traced_call){0};
  arch_traced_read(thread, "status", text, sizeof text);
  const char *const line = strstr(text, switches);
  if (line != NULL)
    call->switches = strtoull(line + sizeof switches - 1, NULL, 10);
  arch_traced_read(thread, "syscall", text, sizeof text);
  if (sscanf(text, "%*u %llx %llx %llx %llx %llx %llx %llx %llx", &a[0],
             &a[1], &a[2], &a[3], &a[4], &a[5], &call->sp, &call->pc) != 8)
    call->pc = 0;
}

/* Returns whether the stop ended CALL with EINTR.  The kernel does not tell
 * which call it was, nor its first argument, since x0 has the result.
 *
 * The thread may have gone on before it was stopped.  It has not waited
 * since, because it waited once more only, for the stop.  Nor has it returned
 * from a signal handler: it would have stopped at the signal. */
static inline bool
arch_traced_is_call(pid_t thread, const struct traced_call *call,
                    const struct user_regs_struct *r)
{
  struct traced_call now;
  if (r->regs[0] != (unsigned long long)-EINTR || r->pc != call->pc ||
      r->sp != call->sp ||
      memcmp(&r->regs[1], &call->arguments[1],
             sizeof call->arguments - sizeof *call->arguments) != 0)
    return false;
  arch_traced_call(thread, &now);
  return now.switches == call->switches + 1;
}

static inline void
arch_traced_set_call(pid_t thread, int number)
{
  enum { SYSTEM_CALL = 0x404 }; /* NT_ARM_SYSTEM_CALL */
  struct iovec part = {&number, sizeof number};
  ptrace(PTRACE_SETREGSET, thread, SYSTEM_CALL, &part);
}

/* Lets the thread go on to the entry or end of a system call, or to a
 * signal. */
static inline int
arch_traced_go_on(pid_t thread)
{
  int status = 0;
  ptrace(PTRACE_SYSCALL, thread, NULL, NULL);
  waitpid(thread, &status, __WALL);
  return status;
}

/* Sets that result at the end of a system call, where the kernel looks at it:
 * the thread goes on to its call, which is left out, and stops at its end. */
static inline int
arch_traced_call_again(pid_t thread, const struct traced_call *call,
                       struct user_regs_struct *r, int status)
{
  enum { NO_CALL = -1 };
  const struct user_regs_struct failed = *r;
  const int number = (int)r->regs[8];
  if (number == SYS_close || !arch_traced_is_call(thread, call, r))
    return status;
  r->regs[0] = call->arguments[0];
  r->pc -= 4;
  arch_traced_set(thread, r);
  status = arch_traced_go_on(thread);
  *r = failed;
  if (WIFSTOPPED(status) && WSTOPSIG(status) == ARCH_AT_CALL) {
    arch_traced_set_call(thread, NO_CALL);
    status = arch_traced_go_on(thread);
    arch_traced_set_call(thread, number);
    r->regs[0] = (unsigned long long)-ARCH_RESTART;
  }
  arch_traced_set(thread, r);
  return status;
}

#endif
