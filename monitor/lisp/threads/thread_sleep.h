/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread_sleep.h -- in which system call another thread sleeps.
 *
 * The kernel tells it in /proc.  Takes no lock and no memory: other threads may
 * be stopped anywhere.
 */
#ifndef MPROF_THREAD_SLEEP_H
#define MPROF_THREAD_SLEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct system_call {
  long number;
  uint64_t argument;      /* the first */
  uint64_t stack_pointer; /* of the thread */
};

/* The kernel's number of a thread; 0 when the thread has ended. */
pid_t thread_number(pthread_t thread);

/* The call that the thread sleeps in.  False: it runs, or it is not known. */
bool system_call_of(pthread_t thread, struct system_call *call);

#endif
