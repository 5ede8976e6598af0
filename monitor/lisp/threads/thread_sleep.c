/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/threads/thread_sleep.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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
  enum { NUMBERS = 9 };
  const pid_t number = thread_number(thread);
  uint64_t numbers[NUMBERS] = {0};
  char path[64], text[256] = "", *at = text, *end;
  int file, count = 0;
  if (number == 0)
    return false;
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)number);
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  if (read(file, text, sizeof text - 1) > 0)
    for (; count < NUMBERS; count++, at = end) {
      numbers[count] = strtoull(at, &end, 0);
      if (end == at)
        break;
    }
  close(file);
  if (count < 3)
    return false;
  *call = (struct system_call){.number = (long)numbers[0],
                               .argument = numbers[1],
                               .stack_pointer = numbers[count - 2]};
  return true;
}
