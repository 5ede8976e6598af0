/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Regions in regions, objects that are freed at once, and a peak in between:
 *
 *   main     keeps 1 object of 100 bytes to the end
 *   load     10 objects of 1000 bytes, freed after the region
 *   load;lex 5 objects of 40 bytes, kept; entered 5 times
 *   run      20 objects of 16 bytes, each freed before the next
 *   run;lex  1 object of 8 bytes, kept
 *
 * Most bytes, 100 + 10,000 + 200, are live at the end of load.
 */

#include <mprof_malloc.h>
#include <stdlib.h>

struct small {
  char name[8];
};

typedef struct {
  double values[5];
} token;

static void *loaded[10];
token *tokens[5];
struct small *small;
void *kept;

static void
lex(int i)
{
  mprof_region_begin("lex");
  tokens[i] = malloc(sizeof *tokens[i]);
  mprof_region_end();
}

static void
load(void)
{
  mprof_region_begin("load");
  for (int i = 0; i < 10; i++)
    loaded[i] = malloc(1000);
  for (int i = 0; i < 5; i++)
    lex(i);
  mprof_region_end();
}

static void
unload(void)
{
  for (int i = 0; i < 10; i++)
    free(loaded[i]);
}

static void *volatile object;

static void
run(void)
{
  mprof_region_begin("run");
  for (int i = 0; i < 20; i++) {
    object = malloc(16);
    free(object);
  }
  mprof_region_begin("lex");
  small = malloc(sizeof *small);
  mprof_region_end();
  mprof_region_end();
}

int
main(void)
{
  kept = malloc(100);
  load();
  unload();
  run();
  return 0;
}
