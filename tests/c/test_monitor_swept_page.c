/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_swept_page.c -- the balance of the collector itself, with a
 * page in which nothing is free among those that wait to be swept.
 *
 * The collector counts marks without a lock and so comes to such a page when
 * one of its threads is held up.  Here it comes to it because marks are taken
 * off before it looks for pages to sweep, and put back after that.  (What can
 * be among these pages besides: test_monitor_collector_balance.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <gc/gc_mark.h>

#include "lisp/balance/collector_balance.h"

/* Objects of 256 bytes, 16 in a page, all of them in use; a page is swept
 * when an eighth is not. */
enum { OBJECTS = 1024, BYTES = 256, UNMARKED = 5 };

static void **objects;
static bool unmark;

static void
on_event(GC_EventType event)
{
  for (size_t i = 0; unmark && i < UNMARKED; i++)
    if (event == GC_EVENT_MARK_END)
      GC_clear_mark_bit(objects[i]);
    else if (event == GC_EVENT_END)
      GC_set_mark_bit(objects[i]);
}

static int64_t
no_lists(void)
{
  return 0;
}

static uint64_t
bytes_now(void)
{
  struct collector_balance b = collector_balance(no_lists);
  assert_int_equal(b.doubts, BALANCE_TABLES); /* which are not looked for */
  return b.bytes;
}

static void
a_full_page_is_swept_in_vain(void **state)
{
  uint64_t before;
  (void)state;
  GC_gcollect();
  before = bytes_now();
  unmark = true;
  GC_gcollect();
  unmark = false;
  assert_int_equal(bytes_now(), before);
  assert_int_equal(bytes_now(), before);
}

/* Every other object of another size is garbage, so that there are pages that
 * can be swept. */
static int
set_up(void **state)
{
  static void **others;
  (void)state;
  GC_set_all_interior_pointers(0); /* as ECL does */
  GC_INIT();
  GC_start_mark_threads();
  objects = GC_MALLOC_UNCOLLECTABLE(OBJECTS * sizeof *objects);
  others = GC_MALLOC_UNCOLLECTABLE(OBJECTS * sizeof *others);
  for (size_t i = 0; i < OBJECTS; i++) {
    void *other = GC_MALLOC(BYTES / 2);
    objects[i] = GC_MALLOC(BYTES);
    if (i % 2 == 0)
      others[i] = other;
  }
  GC_set_on_collection_event(on_event);
  return 0;
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_full_page_is_swept_in_vain)
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
