/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * budget.c -- a program that does something else after a while, again and
 * again, on more paths than are asked for at a time; and counts by itself.
 *
 *     budget THREADS STEPS [alone|ended]
 *
 * Each thread allocates, reallocates and frees in STEPS steps; what one
 * allocates others free.  In the end it prints, as figures.c does,
 *
 *     size SIZE ALLOCS BYTES KEPT BYTES PEAK BYTES TEMPORARY
 *     lost SIZE KEPT DIRECTLY INDIRECTLY
 *
 * and of each area, a function below which there are many paths,
 *
 *     area NAME ALLOCS BYTES
 *
 * and of what was allocated in every second step, which is in a region,
 *
 *     region even ALLOCS BYTES KEPT BYTES
 *     held BYTES    that lived when it was left last
 *
 * With `alone' one thread at a time is at a step: else nobody knows what the
 * peak is, and it is printed as "-".  With `ended' a signal ends it, which the
 * last thread gets in the midst of a step, when the first has done that many;
 * all go on until then.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mprof_malloc.h"

enum { SIZES = 5, HOT = 0, AREAS = 3, SLOTS = 600, THREADS = 12 };

static const size_t sizes[SIZES] = {17, 61, 73, 97, 113};
static const char *const areas[AREAS] = {"plain", "other", "deep"};

struct figures {
  uint64_t count, bytes, ended, ended_bytes, temporary;
  uint64_t peak_count, peak_bytes;
};

/* The beginning of each object: what it is, whose, and whether it was made in
 * the region. */
struct object {
  uint8_t size, thread;
  bool even;
};

struct worker {
  pthread_t thread;
  uint8_t number;
  uint64_t seed;
  const void *last; /* allocation; temporary if it ends now */
  bool even;        /* it is in the region */
  struct figures sizes[SIZES], areas[AREAS], region;
};

static struct worker workers[THREADS + 1]; /* the last one is main */
static uintptr_t slots[SLOTS]; /* inverted: nobody is to find them */
static void *reachable[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_ended;
static bool alone, ended;
static int steps, threads;
static uint64_t live, peak, live_in_region, held;
static struct figures now[SIZES]; /* all threads; only if alone */

/* ---- many paths ---- */

static __attribute__((noinline)) void *
place(unsigned way, size_t bytes, void *old)
{
  void *p;
  if (old != NULL)
    p = realloc(old, bytes);
  else if (way % 3 == 0)
    p = malloc(bytes);
  else if (way % 3 == 1)
    p = calloc(1, bytes);
  else
    p = memalign(64, bytes);
  return p;
}

static volatile __thread int came_by; /* so no two calls can be one */

#define STEP(name, next)                                                     \
  static __attribute__((noinline)) void *name(unsigned way, size_t bytes,    \
                                              void *old)                     \
  {                                                                          \
    void *p;                                                                 \
    if (way % 4 == 0)                                                        \
      p = next(way / 4, bytes, old), came_by = 0;                            \
    else if (way % 4 == 1)                                                   \
      p = next(way / 4, bytes, old), came_by = 1;                            \
    else if (way % 4 == 2)                                                   \
      p = next(way / 4, bytes, old), came_by = 2;                            \
    else                                                                     \
      p = next(way / 4, bytes, old), came_by = 3;                            \
    return p;                                                                \
  }

STEP(step_5, place)
STEP(step_4, step_5)
STEP(step_3, step_4)
STEP(step_2, step_3)
STEP(step_1, step_2)

static __attribute__((noinline)) void *
descend(unsigned depth, unsigned way, size_t bytes, void *old)
{
  void *p = depth == 0 ? step_2(way, bytes, old)
                       : descend(depth - 1, way, bytes, old);
  return p;
}

static __attribute__((noinline)) void *
plain(unsigned way, size_t bytes, void *old)
{
  void *p = step_1(way, bytes, old);
  return p;
}

static __attribute__((noinline)) void *
other(unsigned way, size_t bytes, void *old)
{
  void *p = step_1(way, bytes, old);
  return p;
}

static __attribute__((noinline)) void *
deep(unsigned way, size_t bytes, void *old)
{
  void *p = descend(way % 7, way, bytes, old);
  return p;
}

static __attribute__((noinline)) void *
hot(size_t bytes)
{
  void *p = malloc(bytes);
  return p;
}

/* ---- the model ---- */

static uint64_t
any(struct worker *w)
{
  w->seed ^= w->seed << 13;
  w->seed ^= w->seed >> 7;
  w->seed ^= w->seed << 17;
  return w->seed;
}

static void
add_end(struct figures *f, size_t bytes)
{
  f->ended++;
  f->ended_bytes += bytes;
}

static void
add(struct figures *f, size_t bytes)
{
  f->count++;
  f->bytes += bytes;
}

static void
add_figures(struct figures *sum, const struct figures *f)
{
  sum->count += f->count;
  sum->bytes += f->bytes;
  sum->ended += f->ended;
  sum->ended_bytes += f->ended_bytes;
  sum->temporary += f->temporary;
}

static void
count_end(struct worker *w, const void *p, struct object o)
{
  struct figures *const f = &w->sizes[o.size];
  add_end(f, sizes[o.size]);
  if (o.even)
    add_end(&w->region, sizes[o.size]);
  if (p == w->last && o.thread == w->number) {
    f->temporary++;
    w->last = NULL;
  }
  if (alone) {
    live -= sizes[o.size];
    live_in_region -= o.even ? sizes[o.size] : 0;
    now[o.size].ended++;
  }
}

static void
count(struct worker *w, void *p, int size)
{
  memset(p, 0, sizes[size]); /* it leads to nothing */
  *(struct object *)p =
      (struct object){(uint8_t)size, w->number, w->even};
  add(&w->sizes[size], sizes[size]);
  if (w->even)
    add(&w->region, sizes[size]);
  w->last = p;
  if (!alone)
    return;
  now[size].count++;
  live += sizes[size];
  live_in_region += w->even ? sizes[size] : 0;
  if (live <= peak)
    return;
  peak = live;
  for (int i = 0; i < SIZES; i++)
    now[i].peak_count = now[i].count - now[i].ended;
}

static void
end(struct worker *w, void *p)
{
  const struct object o = *(struct object *)p;
  free(p);
  count_end(w, p, o);
}

/* ---- steps ---- */

static void
allocate(struct worker *w, int i, void *old)
{
  static void *(*const functions[AREAS])(unsigned, size_t, void *) = {
      plain, other, deep};
  /* what it does for a while, and then something else */
  const unsigned way = (unsigned)(i / 500 * 37 + any(w) % 40) % 1024;
  const int size = 1 + (int)(any(w) % (SIZES - 1));
  const int area = (int)(any(w) % AREAS);
  const struct object o = old == NULL ? (struct object){0}
                                      : *(struct object *)old;
  const uintptr_t before = (uintptr_t)old;
  void *const p = functions[area](way, sizes[size], old);
  uintptr_t left;
  if (before != 0)
    count_end(w, (void *)before, o);
  count(w, p, size);
  add(&w->areas[area], sizes[size]);
  left = __atomic_exchange_n(&slots[any(w) % SLOTS], ~(uintptr_t)p,
                             __ATOMIC_ACQ_REL);
  if (left != 0)
    end(w, (void *)~left);
}

static void
step(struct worker *w, int i)
{
  uintptr_t taken = 0;
  void *p;
  if (i % 3 == 0) {
    p = hot(sizes[HOT]);
    count(w, p, HOT);
    end(w, p);
  }
  if (any(w) % 5 < 2)
    taken = __atomic_exchange_n(&slots[any(w) % SLOTS], 0, __ATOMIC_ACQ_REL);
  if (taken != 0 && any(w) % 4 != 0)
    end(w, (void *)~taken);
  else
    allocate(w, i, taken != 0 ? (void *)~taken : NULL);
}

static void *
work(void *data)
{
  struct worker *const w = data;
  pthread_mutex_lock(&lock); /* all are there */
  pthread_mutex_unlock(&lock);
  for (int i = 0; ended || i < steps; i++) {
    if (i == steps && w == workers)
      pthread_kill(workers[threads - 1].thread, SIGTERM);
    if (alone)
      pthread_mutex_lock(&lock);
    w->even = i % 2 == 0;
    if (w->even)
      mprof_region_begin("even");
    step(w, i);
    if (w->even)
      mprof_region_end();
    if (w->even && alone)
      held = live_in_region;
    if (alone)
      pthread_mutex_unlock(&lock);
  }
  w->last = NULL;
  /* The C library frees what it has allocated for a thread when some others
   * have been joined.  The peak is known only if that comes later. */
  pthread_barrier_wait(&all_ended);
  return NULL;
}

/* ---- what is printed ---- */

/* Of what is left a third is freed, so that the peak is past, and a third is
 * found from here. */
static void
leave(uint64_t *lost)
{
  struct worker *const w = &workers[THREADS];
  w->number = THREADS;
  for (int i = 0; i < SLOTS; i++) {
    struct object *const o = (struct object *)~slots[i];
    if (slots[i] == 0)
      continue;
    if (i % 3 == 0)
      end(w, o);
    else if (i % 3 == 1)
      reachable[i] = o;
    else
      lost[o->size]++;
  }
}

static void
print_size(int size, const struct figures *f, uint64_t lost)
{
  const uint64_t kept = f->count - f->ended;
  printf("size %zu %ju %ju %ju %ju ", sizes[size], f->count, f->bytes, kept,
         f->bytes - f->ended_bytes);
  if (alone)
    printf("%ju %ju", now[size].peak_count,
           now[size].peak_count * sizes[size]);
  else
    printf("- -");
  printf(" %ju\n", f->temporary);
  if (kept != 0)
    printf("lost %zu %ju %ju 0\n", sizes[size], kept, lost);
}

static void
print(const uint64_t *lost)
{
  struct figures region = {0};
  for (int size = 0; size < SIZES; size++) {
    struct figures sum = {0};
    for (int t = 0; t <= THREADS; t++)
      add_figures(&sum, &workers[t].sizes[size]);
    print_size(size, &sum, lost[size]);
  }
  for (int area = 0; area < AREAS; area++) {
    struct figures sum = {0};
    for (int t = 0; t < THREADS; t++)
      add_figures(&sum, &workers[t].areas[area]);
    printf("area %s %ju %ju\n", areas[area], sum.count, sum.bytes);
  }
  for (int t = 0; t <= THREADS; t++)
    add_figures(&region, &workers[t].region);
  printf("region even %ju %ju %ju %ju\n", region.count, region.bytes,
         region.count - region.ended, region.bytes - region.ended_bytes);
  if (alone)
    printf("held %ju\n", held);
}

int
main(int argc, char **argv)
{
  uint64_t lost[SIZES] = {0};
  threads = atoi(argv[1]);
  steps = atoi(argv[2]);
  alone = argc > 3 && strcmp(argv[3], "alone") == 0;
  ended = argc > 3 && !alone;
  for (int t = 0; t < threads; t++) {
    workers[t].number = (uint8_t)t;
    workers[t].seed = 88172645463325252u + (uint64_t)t * 1000003;
  }
  pthread_barrier_init(&all_ended, NULL, (unsigned)threads);
  pthread_mutex_lock(&lock);
  for (int t = 0; t < threads; t++)
    pthread_create(&workers[t].thread, NULL, work, &workers[t]);
  pthread_mutex_unlock(&lock);
  for (int t = 0; t < threads; t++)
    pthread_join(workers[t].thread, NULL);
  leave(lost);
  print(lost);
  return 0;
}
