/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stopped_threads.h -- the other threads of the process stand still, and it
 * is known what their registers hold.
 *
 * Each is sent a signal whose handler waits until they are to go on: the one
 * that the C library has for setuid, which no program can block or handle.
 * It may have interrupted them anywhere, so until then nothing may be called
 * that takes a lock of the C library or the program.
 *
 * One thread at a time may use it.
 */
#ifndef MPROF_STOPPED_THREADS_H
#define MPROF_STOPPED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tree/arena.h"

enum { STOPPED_REGISTERS = 16 };

struct stopped_thread {
  pid_t number;    /* 0: that of this thread */
  uintptr_t stack; /* what it points to is the last that is in use */
  uintptr_t base;  /* of what belongs to the thread alone: fs */
  uintptr_t registers[STOPPED_REGISTERS];
};

struct stopped_threads {
  struct arena arena;
  const struct stopped_thread *threads;
  uint32_t count;
  bool all; /* do stand still */
};

/* False: one does not stop in time, or there is no memory.  Even then
 * stopped_threads_resume is to be called. */
bool stopped_threads_stop(struct stopped_threads *stopped);
void stopped_threads_resume(struct stopped_threads *stopped);

/* This thread, as a signal found it: `context' is that of the handler. */
void stopped_thread_in_handler(struct stopped_thread *thread,
                               const void *context);

/* This thread, which stays in the function that calls it. */
static inline __attribute__((always_inline)) void
stopped_thread_here(struct stopped_thread *thread)
{
  *thread =
      (struct stopped_thread){.base = (uintptr_t)__builtin_thread_pointer()};
  __asm__ volatile("mov %%rsp, %0\n\t"
                   "mov %%rbx, %1\n\t"
                   "mov %%rbp, %2\n\t"
                   "mov %%r12, %3\n\t"
                   "mov %%r13, %4\n\t"
                   "mov %%r14, %5\n\t"
                   "mov %%r15, %6"
                   : "=m"(thread->stack), "=m"(thread->registers[0]),
                     "=m"(thread->registers[1]), "=m"(thread->registers[2]),
                     "=m"(thread->registers[3]), "=m"(thread->registers[4]),
                     "=m"(thread->registers[5]));
}

#endif
