/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * regions.c -- named regions: nested, entered again, in threads, too deep.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "mprof_malloc.h"

static void *volatile kept[100];

/* "load" twice: 10 + 10, of which 3 live at the last end; in it "parse". */
static void
case_nested(void)
{
  for (int i = 0; i < 2; i++) {
    mprof_region_begin("load");
    kept[i] = malloc(100);
    mprof_region_begin("parse");
    kept[10 + i] = malloc(10);
    free(malloc(20));
    mprof_region_end();
    if (i == 1)
      free(kept[0]);
    mprof_region_end();
  }
  mprof_region_begin("parse"); /* another one: not within "load" */
  kept[20] = malloc(1);
  mprof_region_end();
  kept[21] = malloc(7);
  free(kept[10]); /* after the end */
}

static void *
work(void *data)
{
  mprof_region_begin(data);
  for (int i = 0; i < 1000; i++)
    free(malloc(61));
  mprof_region_begin("inner");
  free(malloc(67));
  mprof_region_end();
  mprof_region_end();
  free(malloc(71));
  return NULL;
}

static void
case_threads(void)
{
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, work, i % 2 == 0 ? "even" : "odd");
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
}

/* Ends that are too many, names with separators, 100 within one another. */
static void
case_odd(void)
{
  mprof_region_end();
  kept[0] = malloc(1);
  mprof_region_begin("a;b\\c");
  kept[1] = malloc(2);
  mprof_region_begin("");
  kept[2] = malloc(4);
  mprof_region_end();
  mprof_region_end();
  mprof_region_end();
  for (int i = 0; i < 100; i++)
    mprof_region_begin("x");
  kept[3] = malloc(8);
  for (int i = 0; i < 100; i++)
    mprof_region_end();
  kept[4] = malloc(16);
}

/* More than are told apart. */
static void
case_many(void)
{
  char name[20];
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "r%d", i);
    mprof_region_begin(name);
    free(malloc(3));
    mprof_region_end();
  }
}

/* Left by a jump over its end: an open region closes with the outer one's end
 * only if the program says so. */
static void
case_restart(void)
{
  mprof_region_begin("before");
  kept[0] = malloc(10);
  mprof_restart(NULL);
  kept[1] = malloc(20);
  mprof_region_end();
  free(kept[0]);
  mprof_region_begin("after");
  kept[2] = malloc(40);
  mprof_region_end();
}

/* Labels within a region and around one; more than are told apart. */
static void
case_labels(void)
{
  char value[20];
  mprof_region_begin("load");
  mprof_label_push("request", "/login");
  kept[0] = malloc(10);
  mprof_label_push("user", "17");
  kept[1] = malloc(20);
  mprof_label_pop();
  mprof_label_pop();
  mprof_region_end();
  mprof_label_push("user", "17");
  kept[2] = malloc(40);
  mprof_label_pop();
  kept[3] = malloc(80);
  for (int i = 0; i < 5000; i++) {
    snprintf(value, sizeof value, "%d", i);
    mprof_label_push("number", value);
    free(malloc(3));
    mprof_label_pop();
  }
}

/* Keys about as long as a path may be, beyond the values that are told apart.
 */
static void
case_long_labels(void)
{
  char text[210];
  for (int i = 0; i < 3200; i++) {
    snprintf(text, sizeof text, "%d", i);
    mprof_label_push("number", text);
    mprof_label_pop();
  }
  for (int length = 180; length < 205; length++)
    for (int i = 0; i < 2; i++) {
      memset(text, 'k', sizeof text);
      text[length] = '\0';
      mprof_label_push(text, i == 0 ? "first" : "second");
      kept[i] = malloc(3);
      mprof_label_pop();
    }
}

static const struct test_case cases[] = {
  { "nested", case_nested }, { "threads", case_threads },
  { "odd", case_odd },       { "many", case_many },
  { "restart", case_restart }, { "labels", case_labels },
  { "long_labels", case_long_labels },
  { NULL, NULL },
};

int
main(int argc, char **argv)
{
  return run_case(cases, argc, argv);
}
