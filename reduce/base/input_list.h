/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files that a command line names.  A folder stands for the profiles in
 * it: its files whose names end in ".data" or ".pb.gz", in order of their
 * names (byte by byte), without hidden ones and without those in folders
 * below it.
 */

#ifndef MPROF_INPUT_LIST_H
#define MPROF_INPUT_LIST_H

#include "base/mprof_error.h"

#include <stdbool.h>
#include <stddef.h>

struct input_name {
  char *path;         /* owned */
  const char *folder; /* as it was named, NULL: the file itself was named */
};

struct input_list { /* all zero: empty */
  struct input_name *files;
  size_t count, capacity;
};

/* Appends the COUNT files or folders NAMES, which must outlive LIST, or
 * "mprof.data" when there are none.  False: ERROR says why, such as a folder
 * without profiles. */
bool input_list_fill(struct input_list *list, const char *const *names,
                     size_t count, struct mprof_error *error);

void input_list_release(struct input_list *list);

#endif
