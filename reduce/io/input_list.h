/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a command reads: the files that a command line names, or what was in
 * files when a profile was opened.  A folder stands for the profiles in
 * it: its files whose names end in ".data" or ".pb.gz", in order of their
 * names (byte by byte), without hidden ones and without those in folders
 * below it.
 */

#ifndef MPROF_INPUT_LIST_H
#define MPROF_INPUT_LIST_H

#include "io/input_file.h"
#include "io/mprof_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_name {
  char *path;         /* owned */
  const char *folder; /* as it was named, NULL: the file itself was named */
  struct input_octets octets; /* owned: what is in it; no data: read it */
};

struct input_list { /* all zero: empty */
  struct input_name *files;
  size_t count, capacity;
};

/* A profile that is open, in the place of files that are named. */
struct input_choice {
  const struct input_list *inputs;
  const uint64_t *samples; /* numbers of those that count, NULL: all; they
                              count the samples of all inputs, from zero */
  size_t sample_count;
};

/* Appends OCTETS, which become the list's even on failure; errors call them
 * NAME. */
bool input_list_add_octets(struct input_list *list, const char *name,
                           struct input_octets octets,
                           struct mprof_error *error);

/* Reads each file of LIST, so that it does not matter what becomes of it. */
bool input_list_load(struct input_list *list, struct mprof_error *error);

/* Appends the file or the folder NAME, which must outlive LIST. False: ERROR
 * says why, such as a folder without profiles. */
bool input_list_add(struct input_list *list, const char *name,
                    struct mprof_error *error);

/* Appends COUNT of these, or "mprof.data" when there are none. */
bool input_list_fill(struct input_list *list, const char *const *names,
                     size_t count, struct mprof_error *error);

void input_list_release(struct input_list *list);

#endif
