/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * regions.c -- named regions: nested, entered again, too deep.
 */
#include "cases.h"
#include "mprof_malloc.h"

/* "load" twice: 10 + 10, of which 3 live at the last end; in it "parse". */
CASE(nested)
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

/* Ends that are too many, names with separators, 100 within one another. */
CASE(odd)
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
  for (int n = 0; n < 2; n++) {
    for (int i = 0; i < 100; i++)
      mprof_region_begin(n == 0 ? "x" : "deep");
    kept[3 + n] = malloc(8);
    for (int i = 0; i < 100; i++)
      mprof_region_end();
  }
  kept[5] = malloc(16);
}

/* More than are told apart. */
CASE(many)
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
 * only if the program says so.  Prints its time since then. */
CASE(restart)
{
  struct timespec from, to;
  mprof_region_begin("before");
  kept[0] = malloc(10);
  clock_gettime(CLOCK_MONOTONIC, &from);
  mprof_restart(NULL);
  kept[1] = malloc(20);
  mprof_region_end();
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%ld",
         (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
  free(kept[0]);
  mprof_region_begin("after");
  kept[2] = malloc(40);
  mprof_region_end();
}

/* Labels within a region and around one; more than are told apart. */
CASE(labels)
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
CASE(long_labels)
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

RUN_CASES
