/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector.c -- a C program with the collector and no ECL: what it takes
 * from that is not counted, and all works as without mprof.
 */
#define GC_THREADS
#include <gc/gc.h>
#include <stdio.h>
#include <stdlib.h>

static int finalized;

static void
finalizer(void *object, void *data)
{
  (void)object;
  (void)data;
  finalized++;
}

static void *
work(void *data)
{
  for (int i = 0; i < 1000; i++)
    GC_REGISTER_FINALIZER_NO_ORDER(GC_MALLOC(16), finalizer, NULL, NULL,
                                   NULL);
  return data;
}

int
main(void)
{
  pthread_t thread;
  void *link;
  GC_INIT();
  work(NULL);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  link = GC_MALLOC_ATOMIC(100);
  GC_GENERAL_REGISTER_DISAPPEARING_LINK(&link, link);
  for (int i = 0; i < 5; i++)
    GC_gcollect();
  printf("%s\n", finalized > 1000 ? "finalized" : "not finalized");
  free(malloc(10));
  return 0;
}
