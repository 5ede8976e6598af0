/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * debugger.h -- a gdb at work on another process, by a script.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/pool.h"

/* Returns the state of the process as the kernel's letter; 0: it is not
 * there. */
char process_state(size_t pid);

/* Returns whether STATE is that of a process that has ended. */
bool process_state_is_end(char state);

/* What a script writes for us begins with this: "address N", "status N",
 * "error TEXT", "waiting" (from now on for something that the process does)
 * and "stopped". */
#define DEBUGGER_SAYS "mprof:"

/* A debugger, and what it has said. */
struct debugger {
  pid_t process; /* its own */
  size_t pid;    /* that it is for */
  int output;
  bool waiting;               /* for the next call of the allocator */
  char line[1024];            /* that is not complete yet */
  size_t used;                /* of it */
  bool fails;                 /* the next line says why the script ended */
  char error[256];            /* ours, or what it said last; "" */
  unsigned long long address; /* that it was asked for; 0: it has not said */
  int status;                 /* the same, -1 */
};

/* Let it do what SCRIPT says with the process PID, until its end.  A process
 * that it waits for and that does nothing for half a second is stopped by
 * SIGSTOP. */
void debugger_run(struct debugger *, size_t pid, const char *script);
