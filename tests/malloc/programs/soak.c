/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * soak.c -- soak SECONDS: threads that allocate, hand objects to one another
 * and come and go, forks, libraries that are loaded and unloaded, all at once.
 * The program itself counts its objects of 61 and 73 bytes, and prints for
 * each: how many were allocated, and how many are kept.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, SHARED = 64, BATCH = 2000 };

static _Atomic(void *) shared[SHARED];
static atomic_ulong allocated, replaced, kept, children;
static atomic_bool over;

static unsigned
any(unsigned *seed)
{
  return *seed = *seed * 1103515245u + 12345u;
}

static void
take(void *p)
{
  if (p != NULL) {
    free(p);
    atomic_fetch_sub(&kept, 1);
  }
}

static void
allocate(unsigned *seed, int depth)
{
  if (depth > 0 && any(seed) >> 16 & 1) {
    allocate(seed, depth - 1);
    return;
  }
  take(atomic_exchange(&shared[(any(seed) >> 16) % SHARED], malloc(61)));
  atomic_fetch_add(&allocated, 1);
  atomic_fetch_add(&kept, 1);
  if ((any(seed) >> 16) % 8 == 0) {
    void *p = atomic_exchange(&shared[(any(seed) >> 16) % SHARED], NULL);
    if (p != NULL) { /* it becomes one of the other size, and ends */
      free(realloc(p, 73));
      atomic_fetch_sub(&kept, 1);
      atomic_fetch_add(&replaced, 1);
    }
  }
}

static void *
batch(void *data)
{
  unsigned seed = (unsigned)(size_t)data;
  for (int i = 0; i < BATCH; i++)
    allocate(&seed, 20);
  return NULL;
}

static void *
come_and_go(void *data)
{
  size_t number = (size_t)data;
  while (!over) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, batch, (void *)number++) == 0)
      pthread_join(thread, NULL);
  }
  return NULL;
}

/* Not of eight characters: what dl_iterate_phdr gives is only known to be no
 * race to ThreadSanitizer up to the end of the name, by cells of eight bytes. */
#define ONE "././one.so"
#define TWO "././two.so"

static void *
load(void *data)
{
  while (!over) {
    void *one = dlopen(ONE, RTLD_NOW), *two;
    void *found = dlsym(one, "from_one");
    free(((void *(*)(size_t))found)(67));
    dlclose(one);
    two = dlopen(TWO, RTLD_NOW);
    found = dlsym(two, "from_two");
    free(((void *(*)(size_t))found)(71));
    dlclose(two);
    usleep(1000);
  }
  return data;
}

static void
fork_one(void)
{
  const pid_t child = fork();
  int status;
  if (child == 0) {
    for (int i = 0; i < 7; i++)
      if (malloc(13) == NULL)
        _exit(1);
    _exit(0);
  }
  if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
    atomic_fetch_add(&children, 1);
}

int
main(int argc, char **argv)
{
  const time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 10);
  pthread_t threads[THREADS], loader;
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, come_and_go, (void *)(i * 1000003));
  pthread_create(&loader, NULL, load, NULL);
  while (time(NULL) < end) {
    fork_one();
    usleep(50000);
  }
  over = 1;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_join(loader, NULL);
  printf("%lu %lu %lu %lu\n", (unsigned long)allocated,
         (unsigned long)kept, (unsigned long)replaced,
         (unsigned long)children);
  return 0;
}
