/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is shipped: which periods wait, and what requests say. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/ship_period.h"

#include <stdio.h>
#include <string.h>

static void
add(struct ship_queue *queue, int64_t time, uint64_t resets)
{
  assert_true(ship_queue_add(
      queue, ship_snapshot_new("octets", 6, time, resets), time - 1));
}

/* COUNT periods wait; the last one is from FROM until UNTIL. */
static void
check_queue(const struct ship_queue *queue, size_t count, int64_t from,
            int64_t until)
{
  const struct ship_period *period = queue->first;
  while (period->next != NULL)
    period = period->next;
  assert_int_equal(queue->count, count);
  assert_int_equal(queue->length, 6 * count);
  assert_int_equal(period->from, from);
  assert_int_equal(period->now->time, until);
  assert_true(period->base == NULL || period->base->time == from);
}

static void
test_periods(void **state)
{
  struct ship_queue queue = {0};
  (void)state;
  add(&queue, 10, 0);
  check_queue(&queue, 1, 9, 10);
  add(&queue, 20, 0); /* nothing has arrived: it goes on */
  check_queue(&queue, 1, 9, 20);
  assert_null(queue.first->base);
  queue.first->begun = true;
  add(&queue, 30, 0);
  check_queue(&queue, 2, 20, 30);
  add(&queue, 40, 0);
  check_queue(&queue, 2, 20, 40);
  add(&queue, 50, 1); /* the figures were forgotten */
  check_queue(&queue, 3, 49, 50);
  add(&queue, 60, 1);
  check_queue(&queue, 3, 49, 60);
  ship_queue_remove_first(&queue);
  ship_queue_remove_first(&queue);
  ship_queue_remove_first(&queue);
  assert_null(queue.first);
  add(&queue, 70, 1); /* all has arrived: a difference */
  check_queue(&queue, 1, 60, 70);
  assert_non_null(queue.first->base);
  ship_queue_release(&queue);
}

static void
test_bounds(void **state)
{
  struct ship_queue queue = {0};
  (void)state;
  for (int i = 1; i <= SHIP_MOST_PERIODS; i++)
    add(&queue, 10 * i, (uint64_t)i);
  assert_false(ship_queue_full(&queue));
  add(&queue, 1000, 1000);
  assert_true(ship_queue_full(&queue));
  ship_queue_remove_first(&queue);
  assert_false(ship_queue_full(&queue));
  queue.length = SHIP_MOST_LENGTH + 1;
  assert_true(ship_queue_full(&queue));
  queue.count = 1; /* the only one stays */
  assert_false(ship_queue_full(&queue));
  ship_queue_release(&queue);
}

/* The request that ships PROFILES to URL has ASKED and BODY. */
static void
check_request(const char *url, const char *first, const char *second,
              const char *asked, const char *body)
{
  const struct ship_options options = {
      .url = url, .service = "shop", .labels = "host=a b\nzone=\"x\""};
  const struct ship_part part = {
      {{first, strlen(first)}, {second, strlen(second)}}, 5, 7};
  struct ship_target target;
  struct ship_request request;
  char message[PROGRAM_MESSAGE_LENGTH] = "";
  assert_true(ship_target_init(&target, &options, "no", message));
  assert_true(ship_request_init(&request, &target, &part));
  assert_string_equal(request.url, asked);
  assert_int_equal(request.body.length, strlen(body));
  assert_memory_equal(request.body.text, body, strlen(body));
  ship_request_release(&request);
  ship_target_release(&target);
}

#define PARCA_BODY(samples)                                                  \
  "{\"series\":[{\"labels\":{\"labels\":["                                   \
  "{\"name\":\"__name__\",\"value\":\"memory\"},"                            \
  "{\"name\":\"service_name\",\"value\":\"shop\"},"                          \
  "{\"name\":\"host\",\"value\":\"a b\"},"                                   \
  "{\"name\":\"zone\",\"value\":\"\\\"x\\\"\"}]},"                           \
  "\"samples\":[" samples "]}],\"normalized\":true}"

static void
test_requests(void **state)
{
  (void)state;
  check_request("http://u:p@h:1/x/ingest?tenant=1", "octets", "",
                "http://u:p@h:1/x/ingest?tenant=1"
                "&name=shop%7bhost%3da+b%2czone%3d%22x%22%7d"
                "&format=pprof&spyName=mprof&from=5&until=7",
                "octets");
  check_request("http://h/v1/pprof", "octets", "", "http://h/v1/pprof",
                "octets");
  check_request("http://h/profiles/writeraw", "a", "ab",
                "http://h/profiles/writeraw",
                PARCA_BODY("{\"rawProfile\":\"YQ==\"},"
                           "{\"rawProfile\":\"YWI=\"}"));
  check_request("http://h/profiles/writeraw", "abc\xff", "",
                "http://h/profiles/writeraw",
                PARCA_BODY("{\"rawProfile\":\"YWJj/w==\"}"));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_periods),
                                     cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_requests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
