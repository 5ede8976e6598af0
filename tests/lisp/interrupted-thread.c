/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interrupted-thread.c -- preloaded: while the monitor of Lisp programs holds a
 * mutex, a signal comes to the thread, as one does that interrupts it.  Counts
 * the mutexes that were held, and the handlers that ran meanwhile: each could
 * have thrown.  import_threads makes threads that import themselves.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

int held_count, handled_count; /* for the program */

static _Thread_local int held;

static void
handle(int number)
{
  (void)number;
  if (held)
    __atomic_add_fetch(&handled_count, 1, __ATOMIC_RELAXED);
}

static void *
next(const char *name)
{
  return dlsym(RTLD_NEXT, name);
}

static int
is_monitor(const void *caller)
{
  Dl_info info;
  return dladdr(caller, &info) != 0 &&
         strstr(info.dli_fname, "libmprof-monitor") != NULL;
}

int
pthread_mutex_lock(pthread_mutex_t *mutex)
{
  static int (*real)(pthread_mutex_t *);
  if (real == NULL)
    *(void **)&real = next("pthread_mutex_lock");
  const int status = real(mutex);
  if (is_monitor(__builtin_return_address(0))) {
    held = 1;
    signal(SIGUSR2, handle);
    __atomic_add_fetch(&held_count, 1, __ATOMIC_RELAXED);
    pthread_kill(pthread_self(), SIGUSR2);
  }
  return status;
}

int
pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  static int (*real)(pthread_mutex_t *);
  if (real == NULL)
    *(void **)&real = next("pthread_mutex_unlock");
  if (is_monitor(__builtin_return_address(0)))
    held = 0;
  return real(mutex);
}

/* ---- threads of C that import themselves ---- */

static void *
import(void *unused)
{
  int (*const begin)(void *, void *) = next("ecl_import_current_thread");
  void (*const end)(void) = next("ecl_release_current_thread");
  if (begin(unused, unused))
    end();
  return NULL;
}

void
import_threads(void *nothing, int count)
{
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, import, nothing);
    pthread_join(thread, NULL);
  }
}
