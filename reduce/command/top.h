/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the two files of mprof top share: top.c reads the program, and
 * top_screen.c shows it and takes keys.
 */

#ifndef MPROF_TOP_H
#define MPROF_TOP_H

#include "analysis/figures.h"
#include "command/command.h"
#include "command/control.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

/* What a function has allocated, by itself and with all below it. */
struct top_row {
  const char *name;
  uint64_t bytes, allocs, inclusive;
  int64_t new_bytes, new_allocs, new_inclusive; /* since the last reading */
  int64_t order; /* in the table, the largest first */
};

/* A reading of the program. */
struct program_reading {
  struct pool pool; /* of what follows */
  struct top_row *rows;
  size_t count;
  struct figures total;
  const char *program;
  double time; /* in seconds */
};

enum top_key { KEY_BYTES, KEY_ALLOCS, KEY_INCLUSIVE, KEY_NAME };

struct top {
  const struct options *options;
  struct sink *sink;
  bool terminal; /* is read and written */
  enum top_key key;
  struct control control; /* of the image at `path' */
  char path[PATH_MAX];
  struct program_reading readings[2], *now, *old;
  int signals;           /* a descriptor for those that it waits for */
  struct termios before; /* the terminal as it was */
};

/* An order of rows for array_sort, by their names; and the time in seconds.
 */
int top_compare_names(const void *left, const void *right);
double top_time(void);

/* Lets keys come at once, until the pool is released, and signals when it is
 * looked for them. */
void top_take_terminal(struct top *top);

/* Shows what was allocated from the old reading to the one of now.  The rows
 * of both are by name. */
void top_show(struct top *top);

/* Waits until the next reading.  False: that is not wanted. */
bool top_rest(struct top *top);

#endif
