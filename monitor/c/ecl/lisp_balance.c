/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/ecl/lisp_balance.h"

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <pthread.h>

#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_heap.h"
#include "c/ecl/lisp_runtime.h"
#include "image/spin_lock.h"
#include "lisp/balance/collector_data.h"

static struct {
  bool begun;
  bool incomplete;       /* something was not counted */
  unsigned threads;      /* that lived at the end */
  void **first;          /* lists of the thread that made the first request */
  int64_t left_bytes;    /* on lists of threads that left */
  uint64_t record_bytes; /* that the collector made for itself */
  struct collector_balance before;
} balance;

/* That of this thread, if it has been counted; else NULL. */
static struct lisp_thread *
own_lisp_thread(void)
{
  const struct malloc_thread *const thread = malloc_thread_current;
  struct lisp_thread *const lisp = thread == NULL ? NULL : thread->lisp;
  return lisp != NULL && lisp->thread_number == thread->thread_number ? lisp
                                                                      : NULL;
}

/* ---- the time ---- */

/* Those of another thread cannot be read if it is gone. */
static int64_t
bytes_on_lists(void)
{
  void **const own = collector_lists(pthread_self());
  const int64_t own_bytes = collector_list_bytes(own);
  int64_t bytes =
      balance.left_bytes + (own_lisp_thread() == NULL ? own_bytes : 0);
  balance.threads = 0;
  for (const struct lisp_thread *l = lisp_threads; l != NULL; l = l->next) {
    const int64_t more =
        l->lists == NULL ? 0 : collector_list_bytes(l->lists);
    bytes += more > 0 ? more : 0;
    balance.threads += l->lists != NULL;
  }
  return own_bytes < 0 ? -1 : bytes;
}

void
lisp_balance_begin(void)
{
  static struct spin_lock lock;
  spin_lock(&lock);
  if (!balance.begun) {
    malloc_monitor_inside++;
    collector_data_open();
    balance.first = collector_lists(pthread_self());
    balance.before = collector_balance(bytes_on_lists);
    if (GC_is_disabled()) /* ECL begins so: nothing has been swept yet, nor
                             is there any table */
      balance.before.doubts &= ~(unsigned)(BALANCE_PAGE | BALANCE_TABLES);
    malloc_monitor_inside--;
    balance.begun = true;
  }
  lisp_runtime.awaits_first = false;
  __atomic_store_n(&lisp_runtime.counted, true, __ATOMIC_RELEASE);
  spin_unlock(&lock);
}

void
lisp_balance_record(uint64_t bytes)
{
  if (malloc_monitor_is_counting())
    __atomic_fetch_add(&balance.record_bytes, bytes, __ATOMIC_RELAXED);
}

void
lisp_balance_invalidate(void)
{
  balance.incomplete = true;
}

void
lisp_balance_forget(void)
{
  balance.begun = balance.incomplete = false;
  balance.left_bytes = 0;
  balance.record_bytes = 0;
  if (lisp_runtime.counted) {
    lisp_runtime.awaits_first = true;
    lisp_runtime.counted = false;
  }
}

/* ---- threads ---- */

void
lisp_balance_join(struct lisp_thread *lisp)
{
  lisp->lists = collector_lists(pthread_self());
  if (lisp->lists != balance.first)
    lisp_balance_record(collector_record_bytes(lisp->lists));
}

void
lisp_balance_leave(void)
{
  struct lisp_thread *const lisp = own_lisp_thread();
  if (lisp == NULL || lisp->lists == NULL)
    return;
  int64_t listed = collector_list_bytes(lisp->lists);
  lisp->lists = NULL;
  __atomic_fetch_add(&balance.left_bytes, listed, __ATOMIC_RELAXED);
  if (listed < 0)
    lisp_balance_invalidate();
}

void
lisp_balance_return(bool back)
{
  struct lisp_thread *const lisp = own_lisp_thread();
  if (lisp == NULL || lisp->lists != NULL)
    return;
  if (back) {
    lisp_balance_join(lisp);
  } else if (GC_thread_is_registered()) {
    lisp->lists = collector_lists(pthread_self());
    __atomic_fetch_sub(&balance.left_bytes, collector_list_bytes(lisp->lists),
                       __ATOMIC_RELAXED);
  }
}

/* ---- the reconciliation ---- */

/* Of all requests, as the collector rounds them. */
static uint64_t
rounded_bytes(void)
{
  const struct context_tree *const tree = &malloc_monitor.tree;
  struct requests requests = {0};
  spin_lock(&malloc_monitor.lock);
  for (const struct lisp_thread *l = lisp_threads; l != NULL; l = l->next) {
    requests_add_all(&requests, &l->requests);
    for (uint32_t i = LEAF_FIRST; i < l->room && i < tree->leaf_count; i++) {
      const struct kind *kind = context_tree_kind(tree, &tree->leaves[i]);
      if (lisp_leaf_tells(kind->what, kind->size))
        requests_add(&requests, kind->size, l->tallies[i].count);
    }
  }
  spin_unlock(&malloc_monitor.lock);
  return requests.rounded_bytes;
}

void
lisp_balance_end(void)
{
  if (!balance.begun)
    return;
  lisp_runtime.counted = lisp_runtime.awaits_first = false;
  const struct collector_balance before = balance.before,
                                 after = collector_balance(bytes_on_lists);
  const struct reconciliation r = {
      .rounded = rounded_bytes(),
      .records =
          balance.record_bytes + after.table_bytes - before.table_bytes,
      .collector = after.bytes - before.bytes,
      .causes =
          before.doubts | after.doubts | BALANCE_FINALIZERS | BALANCE_OTHERS |
          (balance.threads > 1 ? BALANCE_RUNNING : 0) |
          (after.table_bytes > before.table_bytes ? BALANCE_TABLE_CLASS : 0)};
  if (!balance.incomplete)
    reconciliation_note(NULL, &r);
}
