/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/threads/thread_sleep.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* It is in the number that the kernel gives to the thread's clock. */
pid_t
thread_number(pthread_t thread)
{
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> 3) : 0;
}

/* "0 0x3 ...", six arguments, the stack pointer and the place; without the
 * arguments: "-1 0x7ffe... 0x7f..."; or "running". */
bool
system_call_of(pthread_t thread, struct system_call *call)
{
  const pid_t number = thread_number(thread);
  char path[64], text[256];
  ssize_t length;
  int file, read_numbers;
  if (number == 0)
    return false;
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)number);
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  length = read(file, text, sizeof text - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  read_numbers = sscanf(text, "%ld %" SCNx64 "%*x %*x %*x %*x %*x %" SCNx64,
                        &call->number, &call->argument, &call->stack_pointer);
  if (read_numbers == 2)
    call->stack_pointer = call->argument;
  return read_numbers >= 2;
}
