/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pools.c -- pools of the program's own, which tell the monitor of their
 * objects, in blocks of 4096 and more bytes.
 */
#include "cases.h"
#include "hidden.h"
#include "mprof_malloc.h"

static char *volatile block; /* of a pool */
static void *volatile global;

/* Gives out the object at that place in the block. */
static char *
give(size_t at, size_t bytes, const char *pool)
{
  mprof_allocated(block + at, bytes, pool);
  return block + at;
}

/* 10 of 16 bytes, 4 of them freed; one of 32 in another pool. */
CASE(kept)
{
  block = malloc(4096);
  for (size_t i = 0; i < 10; i++)
    give(16 * i, 16, "node");
  for (size_t i = 0; i < 4; i++)
    mprof_freed(block + 16 * i);
  give(160, 32, "leaf");
}

/* One wrapper for all pools, so one chain. */
CASE(region)
{
  block = malloc(4096);
  mprof_region_begin("load");
  give(0, 16, "node");
  mprof_region_end();
  for (size_t i = 0; i < 4; i++)
    give(16 + 16 * i, 16, i % 2 == 0 ? "node" : "other");
}

/* The block and its first object have one address. */
CASE(address)
{
  block = malloc(4096);
  give(0, 24, "node");
  mprof_freed(block);
  mprof_freed(block); /* is not counted any more */
  give(0, 24, "node");
  free(block); /* and the object is kept */
  block = aligned_alloc(4096, 4096);
  give(0, 24, "node");
  free(block);
}

/* What is given out again was freed unseen. */
CASE(again)
{
  block = malloc(4096);
  for (size_t i = 0; i < 5; i++)
    give(8, 10 + i, "node");
  mprof_allocated(NULL, 100, "node");
  mprof_freed(NULL);
  mprof_freed(block + 16);
}

/* Each thread frees what another one has allocated. */
enum { THREADS = 8, OBJECTS = 1000, ROUNDS = 20 };
static pthread_barrier_t barrier;

static void *
work(void *data)
{
  const uintptr_t number = (uintptr_t)data;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < OBJECTS; i++)
      give((number * OBJECTS + i) * 8, 8, number % 2 == 0 ? "even" : "odd");
    pthread_barrier_wait(&barrier);
    for (size_t i = 1; i < OBJECTS; i++)
      mprof_freed(block + ((number + 1) % THREADS * OBJECTS + i) * 8);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

CASE(threads)
{
  pthread_t threads[THREADS];
  block = malloc(THREADS * OBJECTS * 8);
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* The child begins with nothing: it has one object more. */
CASE(fork)
{
  block = malloc(4096);
  give(0, 16, "node");
  if (fork() == 0) {
    mprof_freed(block);
    give(16, 48, "node");
  }
}

/* ---- what is reachable ---- */

static ALONE uintptr_t
give_hidden(size_t at, size_t bytes)
{
  return (uintptr_t)give(at, bytes, "node") ^ MASK;
}

/* One is in a variable, one in that object, and two in nothing but one that
 * was given back. */
CASE(reached)
{
  block = malloc(8192);
  global = SHOW(give_hidden(64, 1001));
  *(void **)global = SHOW(give_hidden(1072, 1002));
  *(void **)(block + 4096) = SHOW(give_hidden(2080, 1003));
  give_hidden(4096, 8);
  give_hidden(4104, 1003);
  *(void **)(block + 4096) = NULL;
  wipe();
}

/* Objects that hold one another are lost, though their block is not. */
CASE(ring)
{
  block = malloc(8192);
  *(void **)(block + 64) = SHOW(give_hidden(1072, 1001));
  *(void **)(block + 1072) = SHOW(give_hidden(64, 1001));
  wipe();
}

/* A block that only one of its objects leads to; what the pool has before
 * that leads to another one. */
CASE(block)
{
  block = malloc(4097);
  *(void **)(block + 8) = SHOW(give_hidden(2072, 1002));
  give_hidden(3080, 1003);
  global = SHOW(give_hidden(64, 1001));
  block = NULL;
  wipe();
}

/* All of it is lost. */
CASE(lost)
{
  block = malloc(4097);
  give_hidden(64, 1001);
  *(void **)(block + 64) = SHOW(give_hidden(2072, 1002));
  block = NULL;
  wipe();
}

/* In memory of the kernel's. */
CASE(mapped)
{
  block = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  global = SHOW(give_hidden(64, 1001));
  give_hidden(2072, 1002);
  wipe();
}

RUN_CASES
