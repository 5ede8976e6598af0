/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leak_search.c -- what the process has lost at its end, if that was asked
 * for: `mprof run' looks for it from outside (reduce/leak_search/).
 *
 * The process writes into its image where the reader finds what it needs, and
 * sends the reader a signal, which wakes it up and means nothing to others.
 * It waits as long as a reader lives that has begun, but not long for one
 * that does not begin.
 *
 * Takes no lock and calls no function of the C library that could. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "arch/arch.h"
#include "c/count/monitor.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"
#include "image/image.h"
#include "image/spin_lock.h"

enum {
  STACK_BYTES = 1024,   /* that the wait uses, at most, with the red zone */
  PTHREAD_BYTES = 2304, /* if the library does not say it */
  SECONDS = 30,         /* for the reader to begin */
  SECOND_LOOKS = 1000000000 / WAIT_NANOSECONDS,
  LOOKS_FOR_READER = 64 /* each so often, whether it lives */
};

void
leak_search_open(void)
{
  void (*static_size)(size_t *, size_t *);
  size_t bytes = 0, alignment;
  session.leak_reader = (pid_t)environment_number("MPROF_REACHABLE", 0);
  if (session.leak_reader == 0)
    return;
  monitor.objects.lists_all = true;
  *(void **)&static_size = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
  const uint32_t *pthread_bytes =
      dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
  if (static_size != NULL)
    static_size(&bytes, &alignment);
  stripes.search = (struct image_search){
      .tls_bytes = bytes,
      .pthread_bytes =
          pthread_bytes != NULL ? *pthread_bytes : (uint32_t)PTHREAD_BYTES,
      .modules = (uintptr_t)&_r_debug,
      .objects = (uintptr_t)&monitor.objects,
      .objects_bytes = sizeof monitor.objects,
      .has_chunks = real.has_chunks,
      .objects_lock = (uintptr_t)&monitor.objects.lock};
}

static bool
change_state(struct image_search *search, uint32_t from, uint32_t to)
{
  return __atomic_compare_exchange_n(&search->state, &from, to, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Sends the signal to the reader.  Returns false if that is gone. */
static bool
signal_reader(long signal)
{
  const long arguments[6] = {session.leak_reader, signal};
  const long result = arch_system_call(SYS_kill, arguments);
  return result == 0 || result == -EPERM;
}

/* Waits for the end of the search.  Returns false if the reader is gone, or
 * does not begin. */
static bool
wait_for_reader(struct image_search *search)
{
  uint32_t state;
  for (unsigned looks = 0;
       (state = __atomic_load_n(&search->state, __ATOMIC_ACQUIRE)) !=
       SEARCH_NONE;
       looks++) {
    if (looks % LOOKS_FOR_READER == 0 && !signal_reader(0) &&
        change_state(search, state, SEARCH_NONE))
      return false;
    if (looks > SECONDS * SECOND_LOOKS &&
        change_state(search, SEARCH_ASKED, SEARCH_NONE))
      return false;
    wait_a_little(looks);
  }
  return true;
}

/* Asks for a search and waits for its end, also if another thread has asked.
 * Returns false as wait_for_reader does. */
static bool __attribute__((noinline))
request_search(struct image_search *search)
{
  const long any[6] = {PR_SET_PTRACER, (long)PR_SET_PTRACER_ANY};
  arch_system_call(SYS_prctl, any); /* where only parents may (Yama) */
  return (!change_state(search, SEARCH_NONE, SEARCH_ASKED) ||
          signal_reader(SIGURG)) &&
         wait_for_reader(search);
}

/* Clears the stack below its caller, where earlier calls may have left the
 * address of an object that is lost, and where request_search has its frame.
 */
static void __attribute__((noinline))
clear_stack(void)
{
  char left[STACK_BYTES] = {0};
  __asm__ volatile("" ::"r"(left) : "memory");
}

void
leak_search_run(void)
{
  if (session.leak_reader == 0 || !image_is_open() || !session_is_ours())
    return;
  clear_stack();
  if (!request_search(&stripes.search))
    process_image_say("cannot find what is lost in",
                      "mprof run does not answer");
}
