/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is shipped: which periods wait, and what requests say. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attempting.h"
#include "base/quote.h"
#include "export/heap_profile.h"
#include "serve/shipping.h"

#include <string.h>

/* Adds what is in FILE, as of TIME. */
static void
add(struct ship_periods *periods, const char *file, int64_t time,
    uint64_t resets)
{
  struct snapshot now = {.profile = mprof_profile_open(file),
                         .time = time,
                         .status = {.resets = resets}};
  ship_periods_add(periods, &now, time - 1);
}

/* PERIOD is from FROM until UNTIL, and has what is allocated in the file
 * ALLOCATED, "" for nothing, and in use in the file USED. */
static void
check_period(const struct ship_period *period, int64_t from, int64_t until,
             const char *allocated, const char *used)
{
  void *profiles[] = {mprof_profile_open(allocated),
                      mprof_profile_open(used)};
  assert_int_equal(period->from, from);
  assert_int_equal(period->until, until);
  assert_string_equal(mprof_heap_error(period->heap), "");
  for (int column = 0; column < HEAP_COLUMNS; column++) {
    void *heap = mprof_heap_open();
    if (column >= HEAP_INUSE_OBJECTS || *allocated != '\0')
      mprof_heap_add(heap, profiles[column >= HEAP_INUSE_OBJECTS], 1,
                     HEAP_ALL);
    assert_int_equal(
        mprof_heap_sum(period->heap, column, 0, ship_period_left(period)),
        mprof_heap_sum(heap, column, 0, mprof_heap_samples(heap)));
    mprof_heap_close(heap);
  }
  mprof_profile_close(profiles[0]);
  mprof_profile_close(profiles[1]);
}

static void
test_periods(void **state)
{
  static const char before[] = "tests/golden/live-before.data";
  static const char after[] = "tests/golden/live.data";
  struct ship_periods periods = {0};
  (void)state;
  add(&periods, before, 10, 0);
  check_period(&periods.first, 9, 10, before, before);
  add(&periods, after, 20, 0); /* nothing has arrived: it goes on */
  check_period(&periods.first, 9, 20, after, after);
  periods.first.begun = true;
  add(&periods, after, 30, 0);
  check_period(&periods.first, 9, 20, after, after);
  check_period(&periods.next, 20, 30, "", after);
  add(&periods, before, 40, 1); /* the figures were forgotten */
  check_period(&periods.next, 20, 40, before, before);
  periods.first.begun = false; /* nothing has arrived after all */
  add(&periods, after, 45, 1);
  check_period(&periods.first, 9, 20, after, after);
  check_period(&periods.next, 20, 45, after, after);
  ship_periods_remove_first(&periods);
  check_period(&periods.first, 20, 45, after, after);
  ship_periods_remove_first(&periods);
  assert_null(periods.first.heap);
  add(&periods, after, 50, 1); /* all has arrived: a difference */
  check_period(&periods.first, 45, 50, "", after);
  ship_periods_remove_first(&periods);
  add(&periods, before, 60, 2);
  check_period(&periods.first, 59, 60, before, before);
  ship_periods_release(&periods);
}

/* What is shipped to URL goes to ASKED. */
static void
check_url(const char *url, const char *asked)
{
  const struct ship_options options = {
      .url = url, .service = "shop", .labels = "host=a b\nzone=\"x\""};
  const struct ship_part part = {.from = 5, .until = 7};
  struct ship_target target;
  char message[PROGRAM_MESSAGE_LENGTH] = "";
  assert_true(ship_target_init(&target, &options, "no", message));
  char *found = ship_target_url(&target, &part);
  assert_string_equal(found, asked);
  curl_free(found);
  ship_target_release(&target);
}

static void
test_urls(void **state)
{
  (void)state;
  check_url("http://u:p@h:1/x/ingest?tenant=1",
            "http://u:p@h:1/x/ingest?tenant=1"
            "&name=shop%7bhost%3da+b%2czone%3d%22x%22%7d"
            "&format=pprof&spyName=mprof&from=5&until=7");
  check_url("http://h/v1/pprof", "http://h/v1/pprof");
  check_url("http://h/profiles/writeraw", "http://h/profiles/writeraw");
}

static void
test_base64(void **state)
{
  struct string_sink sink;
  (void)state;
  string_sink_init(&sink);
  base64(&sink.sink, "a", 1);
  base64(&sink.sink, "ab", 2);
  base64(&sink.sink, "abc\xff", 4);
  assert_string_equal(string_sink_text(&sink), "YQ==YWI=YWJj/w==");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_periods),
                                     cmocka_unit_test(test_urls),
                                     cmocka_unit_test(test_base64)};
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
