/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The example of Zorn and Hilfinger's paper as a C program: two producers
 * make widgets, a coin chooses which, and the consumer frees them; but it
 * forgets the red ones.
 *
 * 10,000 widgets of 204 bytes.  The coin is a sequence of numbers that is the
 * same in each run and shows red 5,019 times, as it did for the authors.
 * Nothing else allocates.
 */

#include <stdlib.h>

enum { WIDGETS = 10000, FIRST_NUMBER = 56 };

enum colour { RED, BLUE };

struct widget {
  enum colour colour;
  int parts[50];
};

static unsigned number = FIRST_NUMBER;

/* 1 or 0. */
static int
random_flip(void)
{
  number = number * 1664525u + 1013904223u;
  return (int)(number >> 31);
}

static struct widget *
make_widget(enum colour colour)
{
  struct widget *widget = malloc(sizeof *widget);
  if (widget == NULL)
    abort();
  widget->colour = colour;
  return widget;
}

static struct widget *
make_red_widget(void)
{
  return make_widget(RED);
}

static struct widget *
make_blue_widget(void)
{
  return make_widget(BLUE);
}

static void
consume_widget(struct widget *widget)
{
  if (widget->colour != RED)
    free(widget);
}

int
main(void)
{
  for (int i = 0; i < WIDGETS; i++)
    consume_widget(random_flip() ? make_red_widget() : make_blue_widget());
  return 0;
}
