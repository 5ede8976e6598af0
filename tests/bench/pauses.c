/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pauses.c -- how long the slowest of a million new paths took, in
 * microseconds of the thread's own processor time.  Each is a context and a
 * leaf below a context drawn at random, so that the three arrays and their
 * indices grow all the while.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tree/context_tree.h"

enum { PATHS = 1000000, FUNCTIONS = 7000, LINES = 300 };

static uint32_t
function_of(void *closure, uint64_t site, uint32_t caller)
{
  (void)closure;
  (void)caller;
  return (uint32_t)(site & FUNCTION_NUMBER);
}

static int64_t
nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int
main(void)
{
  struct context_tree tree;
  uint64_t random = UINT64_C(88172645463325252);
  int64_t longest = 0;
  if (context_tree_init(&tree, 8 << 20, true, function_of, NULL, NULL) != 0)
    return 1;
  for (uint32_t i = 0; i < PATHS; i++) {
    const uint64_t site = site_place(i % FUNCTIONS + 1, i % LINES + 1, 0);
    int64_t time;
    uint32_t context;
    /* George Marsaglia, "Xorshift RNGs", Journal of Statistical Software
     * 8(14), 2003 */
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    context = (uint32_t)(random % tree.context_count);
    if (context == CONTEXT_OVERFLOW)
      context = CONTEXT_ROOT;
    time = nanoseconds();
    context = context_tree_child(&tree, context, site);
    context_tree_leaf(&tree, context, site, 1, 16, 0)->count++;
    time = nanoseconds() - time;
    if (time > longest)
      longest = time;
  }
  printf("%" PRIu32 " contexts, %" PRIu32 " leaves: the longest pause was "
         "%.0f microseconds\n",
         tree.context_count, tree.leaf_count, (double)longest / 1e3);
  context_tree_release(&tree);
  return 0;
}
