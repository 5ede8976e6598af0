/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interrupts.c -- for interrupts.lisp: a thread that has the dynamic linker's
 * lock, and the end of a child, which may not come.
 */
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 2000, PAUSE = 10000 /* microseconds */ };

static sem_t held, done;
static pthread_t holder;

static int
wait_until_done(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)info, (void)size, (void)unused;
  sem_post(&held);
  sem_wait(&done);
  return 1;
}

static void *
hold(void *unused)
{
  dl_iterate_phdr(wait_until_done, NULL);
  return unused;
}

int
hold_linker_lock(void)
{
  if (sem_init(&held, 0, 0) != 0 || sem_init(&done, 0, 0) != 0 ||
      pthread_create(&holder, NULL, hold, NULL) != 0)
    return -1;
  return sem_wait(&held);
}

int
release_linker_lock(void)
{
  sem_post(&done);
  return pthread_join(holder, NULL);
}

/* Its exit status, or -1: it had to be killed. */
int
end_of_child(int child)
{
  int status;
  for (int i = 0; i < PATIENCE; i++) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    usleep(PAUSE);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}
