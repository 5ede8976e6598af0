/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * counter.c -- the least that a hook can do: count objects and bytes.
 *
 * What an exact count costs when nobody asks who allocated: the lower bound
 * for any profiler that listens to ECL's allocator.  A state for each thread,
 * no locks in the hook, no walk, no types.  Threads are counted from their
 * start, but for those that ran when counting began, except the one that
 * began it.
 *
 * What counts as an object is what mprof counts: an object with its body is
 * one, and plain memory of the runtime is none unless it stands alone.  The
 * benchmark compares the two numbers.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <ecl/ecl.h>

struct counter {
  struct ecl_allocation_hooks hooks; /* first: it is what the hooks get */
  uint64_t objects, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counter ended; /* under lock: sums of the threads that ended */

void bench_counter_start(void);
uint64_t bench_counter_objects(void);
uint64_t bench_counter_bytes(void);

static void *
allocated(struct ecl_allocation_hooks *self, void *frame, cl_index kind,
          void *object)
{
  struct counter *c = (struct counter *)self;
  (void)frame;
  if (ecl_unlikely((kind & ECL_ALLOCATED_RAW) != 0) && (kind & 0xFF) != 0)
    c->objects--; /* memory for objects of a type, but none of them */
  c->objects++;
  c->bytes += kind >> ECL_ALLOCATED_BYTES_SHIFT;
  return object;
}

static void *
instance_allocated(struct ecl_allocation_hooks *self, void *frame,
                   cl_index kind, void *object, cl_object clas)
{
  (void)clas;
  return allocated(self, frame, kind, object);
}

static void
body(struct ecl_allocation_hooks *self, void *frame, cl_object owner,
     cl_index bytes, void *memory)
{
  struct counter *c = (struct counter *)self;
  (void)frame, (void)owner, (void)memory;
  c->bytes += bytes;
}

static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  (void)self, (void)bytes;
}

static void
thread_start(cl_env_ptr env)
{
  struct counter *c = calloc(1, sizeof *c);
  if (c == NULL)
    abort();
  c->hooks.allocated = allocated;
  c->hooks.instance_allocated = instance_allocated;
  c->hooks.body = body;
  c->hooks.collector_record = collector_record;
  env->allocation_hooks = &c->hooks;
}

static void
thread_end(cl_env_ptr env)
{
  struct counter *c = (struct counter *)env->allocation_hooks;
  if (c == NULL)
    return;
  env->allocation_hooks = NULL;
  pthread_mutex_lock(&lock);
  ended.objects += c->objects;
  ended.bytes += c->bytes;
  pthread_mutex_unlock(&lock);
  free(c);
}

/* Count in this thread and in all that begin from now on; once a process. */
void
bench_counter_start(void)
{
  ecl_allocation_monitor.thread_start = thread_start;
  ecl_allocation_monitor.thread_end = thread_end;
  thread_start(ecl_process_env());
}

static struct counter *
of_this_thread(void)
{
  return (struct counter *)ecl_process_env()->allocation_hooks;
}

uint64_t
bench_counter_objects(void)
{
  return of_this_thread()->objects + ended.objects;
}

uint64_t
bench_counter_bytes(void)
{
  return of_this_thread()->bytes + ended.bytes;
}
