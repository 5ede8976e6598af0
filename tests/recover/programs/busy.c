/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * busy LOG [THREADS [SIGNAL [ROUNDS]]]: threads that allocate and free on more and more
 * paths, until they are killed or, at some time, the program ends itself by a
 * signal; 0: it ends well.  Each keeps a log in the file LOG, which is mapped:
 *
 *     0  objects allocated      3  objects freed
 *     1  their bytes            4  their bytes
 *     2  bytes of one that      5  bytes of one whose end is under way
 *        is under way
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 8, MOST = 16, OBJECTS = 512, DEPTH = 10 };

static volatile uint64_t (*logs)[SLOTS];
static int forever, rounds = 60000;

struct worker {
  volatile uint64_t *log;
  uint64_t random;
  struct object {
    void *memory;
    size_t bytes;
  } objects[OBJECTS];
};

static uint64_t
next(struct worker *w)
{
  w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return w->random >> 33;
}

static void
drop(struct worker *w, struct object *o)
{
  w->log[5] = o->bytes;
  free(o->memory);
  w->log[4] += o->bytes;
  w->log[3]++;
  w->log[5] = 0;
  o->memory = NULL;
}

static void __attribute__((noinline))
make(struct worker *w)
{
  struct object *const o = &w->objects[next(w) % OBJECTS];
  if (o->memory != NULL)
    drop(w, o);
  o->bytes = next(w) % 300 + 1;
  w->log[2] = o->bytes;
  o->memory = malloc(o->bytes);
  w->log[1] += o->bytes;
  w->log[0]++;
  w->log[2] = 0;
}

static void right(struct worker *w, unsigned path, unsigned depth);

static void __attribute__((noinline))
left(struct worker *w, unsigned path, unsigned depth)
{
  if (depth == 0)
    make(w);
  else if ((path & 1) != 0)
    left(w, path >> 1, depth - 1);
  else
    right(w, path >> 1, depth - 1);
  __asm__ volatile("" ::: "memory");
}

static void __attribute__((noinline))
right(struct worker *w, unsigned path, unsigned depth)
{
  if (depth == 0)
    make(w);
  else if ((path & 1) != 0)
    right(w, path >> 1, depth - 1);
  else
    left(w, path >> 1, depth - 1);
  __asm__ volatile("" ::: "memory");
}

static void *
work(void *unused)
{
  static int count;
  const int number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  static struct worker workers[MOST];
  struct worker *const w = &workers[number];
  char name[16];
  (void)unused;
  snprintf(name, sizeof name, "worker-%d", number);
  pthread_setname_np(pthread_self(), name);
  w->log = logs[number];
  w->random = (uint64_t)getpid() << 8 | (uint64_t)number;
  for (int i = 0; forever || i < rounds; i++)
    left(w, (unsigned)next(w), (unsigned)(next(w) % DEPTH));
  return NULL;
}

int
main(int argc, char **argv)
{
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  const int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666);
  pthread_t thread[MOST];
  forever = argc < 4;
  if (argc > 4)
    rounds = atoi(argv[4]);
  if (threads > MOST || ftruncate(file, MOST * sizeof *logs) != 0)
    return 2;
  logs = mmap(NULL, MOST * sizeof *logs, PROT_READ | PROT_WRITE, MAP_SHARED,
              file, 0);
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  if (argc > 3)
    raise(atoi(argv[3])); /* 0: it ends well */
  return 0;
}
