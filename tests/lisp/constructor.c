/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * constructor.c -- a library is opened in a thread, which has the dynamic
 * linker's lock while it runs the library's constructor.  That waits until it
 * may go on; then it starts a thread of Lisp and waits for that, and forks.
 *
 * With -DLIBRARY it is the library, else what opens it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ecl/ecl.h>

extern sem_t constructor_runs, constructor_may_go_on;
extern int constructor_threads, constructor_forks;

#ifdef LIBRARY
static void *
be_lisp(void *unused)
{
  constructor_threads += ecl_import_current_thread(ECL_NIL, ECL_NIL);
  ecl_release_current_thread();
  return unused;
}

static void __attribute__((constructor)) begin(void)
{
  pthread_t thread;
  int status = 1;
  pid_t child;
  sem_post(&constructor_runs);
  sem_wait(&constructor_may_go_on);
  pthread_create(&thread, NULL, be_lisp, NULL);
  pthread_join(thread, NULL);
  child = fork();
  if (child == 0)
    _exit(0);
  if (waitpid(child, &status, 0) == child && status == 0)
    constructor_forks++;
}
#else
sem_t constructor_runs, constructor_may_go_on;
int constructor_threads, constructor_forks;

static pthread_t opener;
static int is_open;

static void *
open_library(void *path)
{
  void *const library = dlopen(path, RTLD_NOW);
  __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
  return library;
}

/* The constructor runs when it comes back. */
int constructor_begin(char *path);
int
constructor_begin(char *path)
{
  pthread_create(&opener, NULL, open_library, path);
  return sem_wait(&constructor_runs);
}

int constructor_go_on(void);
int
constructor_go_on(void)
{
  return sem_post(&constructor_may_go_on);
}

int constructor_has_ended(void);
int
constructor_has_ended(void)
{
  return __atomic_load_n(&is_open, __ATOMIC_ACQUIRE);
}

/* What it did: 11 if all went well. */
int constructor_end(void);
int
constructor_end(void)
{
  void *library;
  pthread_join(opener, &library);
  return library == NULL ? 0 : 10 * constructor_threads + constructor_forks;
}
#endif
