/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All threads of another process stand still, and it is known what their
 * registers hold.  They notice nothing: system calls in which they wait begin
 * again.
 *
 * For a process with one thread, whose children are none of those threads:
 * it waits for them.  If it ends, they go on.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "reach/traced_registers.h"

struct traced_thread {
  pid_t number;
  struct traced_call call; /* before it was stopped */
  bool stands;             /* stopped, with its registers read */
  int signal;              /* one that it was about to get; 0: none */
  struct user_regs_struct registers;
  uint64_t thread_pointer;
};

struct traced_threads { /* all zero: none */
  struct traced_thread *threads;
  size_t count, capacity;
};

/* Stops all threads of PROCESS, and reads their registers.  Fails when that
 * cannot be done; even then the second is to be called, which lets them go
 * on. */
void traced_threads_stop(struct traced_threads *traced, pid_t process);
void traced_threads_resume(struct traced_threads *traced);
