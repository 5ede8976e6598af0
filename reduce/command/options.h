/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a command line asks for, as values.  Parsing takes an argument list
 * and gives either a filled struct or a usage error; it neither prints nor
 * opens anything.  Which options there are says option_table.h.
 */

#ifndef MPROF_OPTIONS_H
#define MPROF_OPTIONS_H

#include "analysis/view_options.h"
#include "base/mprof_error.h"
#include "diff/growth.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum command {
  COMMAND_NONE,
  COMMAND_REPORT,
  COMMAND_EXPORT,
  COMMAND_DIFF,
  COMMAND_MERGE,
  COMMAND_FLAMEGRAPH,
  COMMAND_GRAPH,
  COMMAND_RUN,
  COMMAND_HELP,
  COMMAND_VERSION
};

enum color_choice { COLOR_AUTOMATIC, COLOR_ALWAYS, COLOR_NEVER };

enum detail_choice { DETAIL_NORMAL, DETAIL_TERSE, DETAIL_VERBOSE };

struct progress;

/* A profile that is open, and what of it counts. */
struct open_profile {
  const struct profile *profile;
  const uint64_t *samples; /* numbers of those that count, NULL: all */
  size_t sample_count;
};

/* What mprof run tells the monitor of C programs, and whether it speaks. */
struct run_options {
  bool off, quiet;    /* count later; say nothing */
  bool unfolded;      /* with all depths of a recursion */
  const char *signal; /* that starts and stops counting, or NULL */
  size_t autosave, budget, temporary; /* SIZE_MAX: not given */
};

struct options {
  enum command command;
  enum command topic; /* of help */
  bool help;          /* is asked for, on the command */
  const char **files; /* owned array; the strings are the arguments; NULL
                         is behind the last: a program, with its own */
  size_t file_count;  /* zero: the default file */
  const struct open_profile *open; /* not NULL: look at this, not at files */
  const char *output;              /* file to write, NULL: standard output */
  const struct output *format; /* that is written; NULL: the command's */
  struct progress *progress;   /* told of long work; NULL: nobody is */

  enum detail_choice detail;
  enum color_choice color;
  bool human; /* separate the thousands of numbers in tables */
  struct view_options view;

  struct diff_options diff;
  struct run_options run;
};

/* Fills OPTIONS from COUNT arguments (without the program's name), which
 * must outlive it.  OPEN, unless NULL, takes the place of files, and outlives
 * it, too.  False: a usage error or memory. */
bool options_parse(struct options *options, int count,
                   const char *const *arguments,
                   const struct open_profile *open,
                   struct mprof_error *error);

void options_release(struct options *options);

#endif
