/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_monitor_region_table.c -- regions by themselves: paths, how often and
 * how long, what is held, and what there is no room for.  Time stands still
 * but for what a test adds to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "attempting.h"
#include "recover/image_reader.h"
#include "tree/region_table.h"

#define MOST 5
#define BEGAN UINT64_C(1700000000000000000) /* the real-time clock at 0 */

static uint64_t now;
static bool time_is_ours;

/* In the place of the C library's. */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
  const uint64_t then = clock == CLOCK_REALTIME ? BEGAN + now : now;
  if (!time_is_ours)
    return (int)syscall(SYS_clock_gettime, clock, t);
  t->tv_sec = (time_t)(then / 1000000000u);
  t->tv_nsec = (long)(then % 1000000000u);
  return 0;
}

static struct region_table table;
static struct region_stack stack, other;

static int
set_up(void **state)
{
  (void)state;
  table = (struct region_table){0};
  stack = other = (struct region_stack){0};
  now = 0;
  time_is_ours = true;
  return 0;
}

static int
tear_down(void **state)
{
  (void)state;
  time_is_ours = false;
  arena_release(&table.arena);
  return 0;
}

static void
enter(const char *name)
{
  region_enter(&table, MOST, &stack, name);
}

static void
leave(void)
{
  region_leave(&table, &stack, true);
}

/* The comments, one a line, without those of regions that were not entered.
 */
static void
expect_comments(bool frees, const char *wanted)
{
  char text[8192] = "";
  for (uint32_t i = 1; i < table.count; i++)
    if (table.regions[i].entered != 0) {
      strcat(text, image_region_comment(&table.regions[i], frees));
      strcat(text, "\n");
    }
  assert_string_equal(text, wanted);
}

/* The path of the region that the stack is in. */
static const char *
here(void)
{
  return stack.region == 0 ? "" : table.regions[stack.region].path;
}

static void
an_empty_table(void **state)
{
  (void)state;
  leave();
  assert_int_equal(stack.depth, 0);
  assert_int_equal(stack.region, 0);
  expect_comments(true, "");
  region_table_clear(&table);
  assert_null(table.regions);
}

static void
a_path_is_a_region(void **state)
{
  uint32_t inner;
  (void)state;
  enter("a");
  assert_int_equal(stack.region, 1);
  enter("b");
  inner = stack.region;
  assert_string_equal(here(), "a;b");
  leave();
  assert_int_equal(stack.region, 1);
  enter("b");
  assert_int_equal(stack.region, inner);
  leave();
  leave();
  assert_int_equal(stack.region, 0);
  enter("b"); /* another one than that within a */
  assert_string_equal(here(), "b");
  assert_int_not_equal(stack.region, inner);
  enter("b");
  assert_string_equal(here(), "b;b");
  assert_int_equal(table.count, 5);
}

static void
separators_in_names(void **state)
{
  (void)state;
  enter("a;b");
  assert_string_equal(here(), "a\\;b");
  leave();
  enter("a");
  enter("b");
  assert_string_equal(here(), "a;b");
  assert_int_equal(stack.region, 3);
  leave();
  enter("b\\");
  assert_string_equal(here(), "a;b\\\\");
  leave();
  enter("one\ntwo");
  assert_string_equal(here(), "a;one two");
}

static void
how_often_and_how_long(void **state)
{
  (void)state;
  now = 10;
  enter("a");
  now = 15;
  enter("b");
  now = 18;
  leave();
  now = 30;
  leave();
  now = 100;
  enter("a");
  now = 107;
  leave();
  expect_comments(true,
                  "2 27 1700000000000000010 "
                  "1700000000000000107 0 a\n"
                  "1 3 1700000000000000015 "
                  "1700000000000000018 0 a;b\n");
  expect_comments(false,
                  "2 27 1700000000000000010 "
                  "1700000000000000107 - a\n"
                  "1 3 1700000000000000015 "
                  "1700000000000000018 - a;b\n");
}

/* Each activation takes its own time, also those within one another. */
static void
recursion(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    enter("a");
    now += 10;
  }
  for (int i = 0; i < 3; i++) {
    leave();
    now += 1;
  }
  expect_comments(false,
                  "1 32 1700000000000000000 "
                  "1700000000000000032 - a\n"
                  "1 21 1700000000000000010 "
                  "1700000000000000031 - a;a\n"
                  "1 10 1700000000000000020 "
                  "1700000000000000030 - a;a;a\n");
}

static void
threads_have_stacks(void **state)
{
  (void)state;
  enter("a");
  now = 5;
  region_enter(&table, MOST, &other, "a");
  assert_int_equal(other.region, stack.region);
  now = 7;
  leave();
  now = 11;
  region_leave(&table, &other, true);
  expect_comments(true, "2 13 1700000000000000000 "
                        "1700000000000000011 0 a\n");
}

/* A region that is never left has no last end; one that was open when all
 * was forgotten goes on with its name. */
static void
open_regions(void **state)
{
  (void)state;
  enter("a");
  enter("b");
  expect_comments(true, "1 0 1700000000000000000 0 0 a\n"
                        "1 0 1700000000000000000 0 0 a;b\n");
  table.regions[2].live_bytes = 77;
  region_table_clear(&table);
  expect_comments(true, "");
  assert_string_equal(here(), "a;b");
  now = 4;
  leave();
  assert_int_equal(table.regions[2].nanoseconds, 4);
  assert_int_equal(table.regions[2].held_bytes, 0);
  enter("b");
  assert_int_equal(stack.region, 2);
  assert_int_equal(table.count, 3);
}

/* What is held at the end is live in the region and in all that are in it,
 * not in their namesakes elsewhere. */
static void
held_at_the_end(void **state)
{
  (void)state;
  enter("a");        /* 1 */
  enter("b");        /* 2 */
  enter("c");        /* 3 */
  leave();
  leave();
  enter("d");        /* 4 */
  table.regions[1].live_bytes = 1;
  table.regions[2].live_bytes = 20;
  table.regions[3].live_bytes = 300;
  table.regions[4].live_bytes = 4000;
  leave();
  assert_int_equal(table.regions[4].held_bytes, 4000);
  assert_int_equal(table.regions[2].held_bytes, 0); /* it was left before */
  leave();
  assert_int_equal(table.regions[1].held_bytes, 4321);
  enter("a");
  enter("b");
  leave();
  assert_int_equal(table.regions[2].held_bytes, 320);
  leave();
  enter("b"); /* 5 */
  leave();
  assert_int_equal(table.regions[5].held_bytes, 0);
  region_enter(&table, MOST, &stack, "b");
  region_leave(&table, &stack, false); /* nobody keeps live bytes */
  assert_int_equal(table.regions[5].held_bytes, 0);
}

static void
no_room_for_another_region(void **state)
{
  const char *names[] = {"1", "2", "3", "4", "5", "6"};
  (void)state;
  enter("0");
  for (int i = 0; i < 6; i++) {
    enter(names[i]);
    /* the fifth name in it would be the sixth region */
    assert_int_equal(stack.region, i < 4 ? i + 2 : 1);
    now += 10;
    leave();
    assert_int_equal(stack.region, 1);
  }
  assert_int_equal(table.count, MOST + 1);
  enter("6");
  enter("7");
  assert_string_equal(here(), "0");
  leave();
  leave();
  assert_int_equal(table.regions[1].entered, 1); /* not once more */
  leave();
  assert_int_equal(table.regions[1].nanoseconds, 60);
  enter("none at all");
  assert_int_equal(stack.region, 0);
  leave();
  assert_int_equal(stack.depth, 0);
}

static void
no_room_on_the_stack(void **state)
{
  struct region_table deep = {0};
  (void)state;
  for (int i = 0; i < REGION_DEPTH + 10; i++)
    region_enter(&deep, 1000, &stack, "x");
  assert_int_equal(stack.depth, REGION_DEPTH);
  assert_int_equal(stack.beyond, 10);
  assert_int_equal(deep.count, REGION_DEPTH + 1);
  for (int i = 0; i < 10; i++)
    region_leave(&deep, &stack, false);
  assert_int_equal(stack.region, REGION_DEPTH);
  for (int i = 0; i < REGION_DEPTH; i++)
    region_leave(&deep, &stack, false);
  assert_int_equal(stack.region, 0);
  assert_int_equal(deep.regions[1].entered, 1);
  assert_int_equal(deep.regions[REGION_DEPTH].entered, 1);
  arena_release(&deep.arena);
}

/* Paths are cut to REGION_PATH_BYTES, a backslash never alone. */
static void
long_names(void **state)
{
  char name[500], wanted[REGION_PATH_BYTES];
  (void)state;
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  memset(wanted, 'n', sizeof wanted - 2);
  wanted[sizeof wanted - 2] = '\0';
  enter(name);
  assert_string_equal(here(), wanted);
  leave();
  enter(name);
  assert_int_equal(stack.region, 1); /* the same, as far as it goes */
  enter("inner");                    /* of which nothing is left */
  assert_int_equal(strlen(here()), REGION_PATH_BYTES - 1);
  assert_int_equal(stack.region, 2);
  leave();
  leave();
  memset(name, ';', sizeof name - 1);
  enter(name);
  assert_int_equal(strlen(here()), REGION_PATH_BYTES - 2);
  for (size_t i = 0; i < REGION_PATH_BYTES - 2; i += 2)
    assert_memory_equal(here() + i, "\\;", 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(an_empty_table),
      TEST(a_path_is_a_region),
      TEST(separators_in_names),
      TEST(how_often_and_how_long),
      TEST(recursion),
      TEST(threads_have_stacks),
      TEST(open_regions),
      TEST(held_at_the_end),
      TEST(no_room_for_another_region),
      TEST(no_room_on_the_stack),
      TEST(long_names),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
