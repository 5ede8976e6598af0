/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * losing.c -- lists that are lost, an object that is, ten that are kept, and a
 * hundred that are freed.
 */
#include "hidden.h"

struct node {
  struct node *next;
  char rest[96];
};

static struct node *volatile table[10];
static void *volatile taken;

static struct node *
make(struct node *next)
{
  struct node *node = malloc(sizeof *node);
  node->next = next;
  return node;
}

static void
keep(void)
{
  for (int i = 0; i < 10; i++)
    table[i] = make(NULL);
}

static void
lose_list(int n)
{
  struct node *volatile list = NULL;
  while (n-- > 0)
    list = make(list);
  list = NULL;
}

static void
lose(void)
{
  taken = malloc(1234);
  taken = NULL;
}

static void
use(void)
{
  for (int i = 0; i < 100; i++)
    free(malloc(50));
}

int
main(void)
{
  keep();
  lose_list(20);
  lose_list(5);
  lose();
  use();
  wipe();
  return 0;
}
