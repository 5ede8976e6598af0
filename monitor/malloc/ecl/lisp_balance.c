/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_balance.c -- see lisp_balance.h.
 */
#include "malloc/ecl/lisp_balance.h"

#include <gc/gc.h>
#include <pthread.h>

#include "balance/collector_tables.h"
#include "balance/free_lists.h"
#include "malloc/count/malloc_code.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/ecl/lisp_calls.h"
#include "malloc/ecl/lisp_methods.h"
#include "malloc/ecl/lisp_runtime.h"
#include "tree/spin_lock.h"
#include "tree/wait.h"

struct lisp_balance lisp_balance;
static struct free_lists free_lists;
static pthread_t first; /* the thread that made the first request */

/* ---- the collector ---- */

static int64_t
bytes_on_lists(void)
{
  int64_t bytes = lisp_balance.ended_list_bytes;
  bool own = false;
  lisp_balance.threads = 0;
  for (const struct lisp_thread *l = lisp_heap.threads; l != NULL;
       l = l->next) {
    if (l->ended)
      continue;
    const int64_t more = free_lists_bytes(&free_lists, l->self);
    if (more < 0)
      return -1;
    bytes += more;
    lisp_balance.threads++;
    own = own || pthread_equal(l->self, pthread_self());
  }
  if (!own) {
    const int64_t more = free_lists_bytes(&free_lists, pthread_self());
    bytes = more < 0 ? -1 : bytes + more;
  }
  return bytes;
}

static int64_t
bytes_of_tables(void)
{
  return collector_tables_bytes(free_lists.data_start, free_lists.data_end);
}

static struct collector_balance
ask(void)
{
  return collector_balance(&lisp_balance.own_bytes, bytes_on_lists,
                           bytes_of_tables);
}

/* ---- the time ---- */

void
lisp_balance_begin(void)
{
  static struct spin_lock lock;
  spin_lock(&lock);
  if (!lisp_balance.begun) {
    malloc_monitor_inside++;
    free_lists_open(&free_lists);
    first = pthread_self();
    lisp_balance.before = ask();
    if (GC_is_disabled()) /* ECL begins so: nothing has been swept yet, nor
                             is there any table */
      lisp_balance.before.doubts &=
          ~(unsigned)(BALANCE_PAGE | BALANCE_TABLES);
    malloc_monitor_inside--;
    lisp_balance.begun = true;
  }
  lisp_runtime.awaits = false;
  __atomic_store_n(&lisp_runtime.counted, true, __ATOMIC_RELEASE);
  spin_unlock(&lock);
}

void
lisp_balance_join(struct lisp_thread *lisp)
{
  lisp->self = pthread_self();
  lisp->ended = false;
  if (!pthread_equal(lisp->self, first))
    lisp->record_bytes += free_lists_record_bytes(&free_lists, lisp->self);
}

static void
leave_thread(void)
{
  struct malloc_thread *const thread = malloc_thread_known;
  struct lisp_thread *const lisp = thread == NULL ? NULL : thread->lisp;
  int64_t listed;
  if (lisp == NULL || lisp->served != thread->served || lisp->ended)
    return;
  listed = free_lists_bytes(&free_lists, lisp->self);
  lisp->ended = true;
  if (listed >= 0)
    __atomic_fetch_add(&lisp_balance.ended_list_bytes, listed,
                       __ATOMIC_RELAXED);
  else
    lisp_balance.broken = true;
}

/* ---- threads that were there before ECL knew them ---- */

/* The collector takes back what they have on their lists, and frees its
 * record, which may be in the thread's own memory; they can come again. */
EXPORT int GC_register_my_thread(const struct GC_stack_base *base);
EXPORT int GC_unregister_my_thread(void);

int
GC_register_my_thread(const struct GC_stack_base *base)
{
  const struct malloc_thread *const thread = malloc_thread_known;
  struct lisp_thread *const lisp = thread == NULL ? NULL : thread->lisp;
  int status;
  if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
    lisp_runtime_find_collector();
  status = lisp_runtime.register_thread(base);
  if (status == GC_SUCCESS && lisp != NULL && lisp->ended &&
      lisp->served == thread->served)
    lisp_balance_join(lisp);
  return status;
}

int
GC_unregister_my_thread(void)
{
  if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
    lisp_runtime_find_collector();
  leave_thread();
  return lisp_runtime.unregister_thread();
}

/* ---- the end ---- */

void
lisp_balance_end(void)
{
  if (!lisp_balance.begun || lisp_balance.ended)
    return;
  malloc_monitor_inside++;
  lisp_runtime.counted = lisp_runtime.awaits = false;
  lisp_balance.after = ask();
  lisp_balance.ended = true;
  malloc_monitor_inside--;
}

void
lisp_balance_forget(void)
{
  lisp_balance.begun = lisp_balance.broken = false;
  lisp_balance.own_bytes = 0;
  lisp_balance.ended_list_bytes = 0;
  if (lisp_runtime.counted) {
    lisp_runtime.awaits = true;
    lisp_runtime.counted = false;
  }
}

/* ECL ends: it closes its libraries, and runs no Lisp any more. */
EXPORT void ecl_library_close_all(void);

EXPORT void
ecl_library_close_all(void)
{
  if (!__atomic_load_n(&lisp_runtime.found, __ATOMIC_ACQUIRE))
    lisp_runtime_find();
  lisp_balance_end();
  lisp_methods_name();
  lisp_calls_read();
  malloc_code_look();
  lisp_runtime.library_close_all();
  malloc_code_look();
}

/* ---- threads that the collector makes ---- */

struct start {
  void *(*function)(void *);
  void *argument;
};

static void
leave(void *unused)
{
  (void)unused;
  leave_thread();
}

/* The macros in front of these make a landing pad, and this library would
 * serve that with an unwinder of its own (-static-libgcc), which does not know
 * what the program's has begun. */
extern void _pthread_cleanup_push(struct _pthread_cleanup_buffer *,
                                  void (*)(void *), void *);
extern void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *, int);

/* The collector has a thread in its list while its function runs. */
static void *
run_thread(void *data)
{
  struct start *const at = data;
  const struct start start = *at;
  struct _pthread_cleanup_buffer clean_up;
  void *result;
  __atomic_store_n(&at->function, NULL, __ATOMIC_RELEASE);
  _pthread_cleanup_push(&clean_up, leave, NULL);
  result = start.function(start.argument);
  _pthread_cleanup_pop(&clean_up, 1);
  return result;
}

EXPORT int GC_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                             void *(*function)(void *), void *argument);

EXPORT int
GC_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                  void *(*function)(void *), void *argument)
{
  struct start start = {function, argument};
  unsigned looks = 0;
  int status;
  if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
    lisp_runtime_find_collector();
  if (!lisp_runtime.counted)
    return lisp_runtime.create_thread(thread, how, function, argument);
  status = lisp_runtime.create_thread(thread, how, run_thread, &start);
  while (status == 0 &&
         __atomic_load_n(&start.function, __ATOMIC_ACQUIRE) != NULL)
    wait_a_little(looks++);
  return status;
}
