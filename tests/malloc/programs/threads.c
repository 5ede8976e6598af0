/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.c -- threads that come and go, free what others allocated, have
 * names.  Sizes are odd, so that nothing of the C library has the same.
 */
#include "cases.h"

enum { THREADS = 1000, AT_ONCE = 50 };

static pthread_barrier_t barrier;
static pthread_key_t key;

/* 10 objects of 61 bytes, half of them freed; the others go to who joins. */
static void *
come_and_go(void *data)
{
  void **objects = malloc(5 * sizeof *objects + 23);
  for (int i = 0; i < 5; i++) {
    free(malloc(61));
    objects[i] = malloc(61);
  }
  return objects;
}

static void
join(pthread_t thread)
{
  void *result, **objects;
  pthread_join(thread, &result);
  objects = result;
  for (int i = 0; i < 5; i++)
    free(objects[i]);
  free(objects);
}

CASE(many)
{
  pthread_t threads[AT_ONCE];
  for (int i = 0; i < THREADS; i += AT_ONCE) {
    for (int j = 0; j < AT_ONCE; j++)
      pthread_create(&threads[j], NULL, come_and_go, (void *)(long)j);
    for (int j = 0; j < AT_ONCE; j++)
      join(threads[j]);
  }
}

/* Each takes its name before it allocates. */
static void *
named(void *data)
{
  const int n = (int)(long)data;
  char name[16];
  snprintf(name, sizeof name, "worker-%d", n);
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i <= n; i++)
    free(malloc(61));
  return NULL;
}

/* Two of each name. */
CASE(names)
{
  pthread_t threads[8];
  for (int j = 0; j < 8; j++)
    pthread_create(&threads[j], NULL, named, (void *)(long)(j % 4));
  for (int j = 0; j < 8; j++)
    pthread_join(threads[j], NULL);
  free(malloc(67));
}

static void *
numbered(void *data)
{
  char name[16];
  snprintf(name, sizeof name, "number-%d", (int)(long)data);
  pthread_setname_np(pthread_self(), name);
  free(malloc(61));
  return NULL;
}

/* More names than are told apart, one after the other. */
CASE(many_names)
{
  pthread_t thread;
  for (int i = 0; i < 300; i++) {
    pthread_create(&thread, NULL, numbered, (void *)(long)i);
    pthread_join(thread, NULL);
  }
}

/* In a destructor of thread-specific data, thrice: a thread that has been
 * taken off by the monitor allocates again. */
static void
allocate_at_the_end(void *data)
{
  const long left = (long)data;
  free(malloc(71));
  if (left > 1)
    pthread_setspecific(key, (void *)(left - 1));
}

static void *
with_destructor(void *data)
{
  pthread_setspecific(key, (void *)3L);
  return data;
}

CASE(destructors)
{
  pthread_key_create(&key, allocate_at_the_end);
  for (int i = 0; i < 100; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, with_destructor, NULL);
    pthread_join(thread, NULL);
  }
}

/* All of them at the same calls, a million times. */
static void *
hammer(void *data)
{
  void *objects[16] = { 0 };
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 20000; i++) {
    free(objects[i % 16]);
    objects[i % 16] = malloc(61);
    objects[i % 16] = realloc(objects[i % 16], 73);
  }
  for (int i = 0; i < 15; i++)
    free(objects[i]);
  return data;
}

CASE(hammer)
{
  pthread_t threads[8];
  pthread_barrier_init(&barrier, NULL, 8);
  for (int j = 0; j < 8; j++)
    pthread_create(&threads[j], NULL, hammer, NULL);
  for (int j = 0; j < 8; j++)
    pthread_join(threads[j], NULL);
}

/* Two threads in turns: the peak is one of both together. */
static void *
second(void *data)
{
  void *p = malloc(100003);
  pthread_barrier_wait(&barrier); /* 1 */
  pthread_barrier_wait(&barrier); /* 2 */
  free(p);
  p = malloc(50021);
  pthread_barrier_wait(&barrier); /* 3 */
  pthread_barrier_wait(&barrier); /* 4 */
  return p;
}

CASE(peak)
{
  pthread_t thread;
  void *p;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, second, NULL);
  pthread_barrier_wait(&barrier); /* 1 */
  p = malloc(200017);             /* 300020: the most of these */
  free(p);
  pthread_barrier_wait(&barrier); /* 2 */
  pthread_barrier_wait(&barrier); /* 3 */
  p = malloc(150041);
  pthread_barrier_wait(&barrier); /* 4 */
  pthread_join(thread, NULL);
}

/* Cancelled in the midst of allocating, and gone without a return. */
static void *
endless(void *data)
{
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
  for (int i = 0; i < 1000; i++)
    free(malloc(61));
  pthread_barrier_wait(&barrier);
  for (;;) {
    free(malloc(73));
    pthread_testcancel();
  }
  return data;
}

static void *
leaves(void *data)
{
  free(malloc(79));
  pthread_exit(data);
}

CASE(cancelled)
{
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 10; i++) {
    pthread_create(&thread, NULL, endless, NULL);
    pthread_barrier_wait(&barrier);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, leaves, NULL);
    pthread_join(thread, NULL);
  }
}

/* The last thread ends the process. */
static void *
outlives(void *data)
{
  pthread_join(*(pthread_t *)data, NULL);
  free(malloc(61));
  return NULL;
}

static pthread_t first;

CASE(outlived)
{
  pthread_t thread;
  first = pthread_self();
  pthread_create(&thread, NULL, outlives, &first);
  free(malloc(67));
  pthread_exit(NULL);
}

RUN_CASES
