/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a command line asks for, as values.  Parsing takes an argument list
 * and gives either a filled struct or a usage error; it neither prints nor
 * opens anything.  Which options there are says option_table.h.
 */

#ifndef MPROF_OPTIONS_H
#define MPROF_OPTIONS_H

#include "analysis/group_names.h"
#include "analysis/selection.h"
#include "base/mprof_error.h"
#include "diff/growth.h"
#include "pprof/measure.h"

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

/* The order of rows.  A table without such figures is sorted by bytes. */
enum sort_key {
  SORT_DEFAULT,
  SORT_BYTES,
  SORT_ALLOCS,
  SORT_CALLS,
  SORT_SELF,      /* bytes that a function itself allocated */
  SORT_INCLUSIVE, /* with all below it */
  SORT_KEPT,      /* bytes never freed */
  SORT_PEAK,      /* bytes live when most were */
  SORT_TEMPORARY, /* objects freed before the next allocations */
  SORT_NAME
};

enum color_choice { COLOR_AUTOMATIC, COLOR_ALWAYS, COLOR_NEVER };

enum leak_choice { LEAKS_AUTOMATIC, LEAKS_ON, LEAKS_OFF };

enum detail_choice { DETAIL_NORMAL, DETAIL_TERSE, DETAIL_VERBOSE };

/* The width of the terminal, if there is one; of a picture, the usual. */
#define WIDTH_AUTOMATIC SIZE_MAX

/* Shares are kept in millionths, so that they compare exactly. */
enum { SHARE_WHOLE = 1000000 };

/* How many callers a path in the leak table has. */
enum { DEFAULT_CALLERS = 5 };

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
  struct progress *progress;       /* told of long work; NULL: nobody is */

  enum detail_choice detail;
  uint32_t min_share; /* rows below this share of the total are left out */
  size_t limit;       /* most rows a table, SIZE_MAX: no limit */
  enum sort_key sort;
  enum leak_choice leaks;
  bool verbose;   /* every row, and tables that tell nothing */
  bool offsets;   /* tell call sites in one function apart */
  bool lines;     /* give file and line of call sites in paths */
  size_t callers; /* in paths of leaks, at most */
  bool legend;
  bool human;       /* separate the thousands of numbers in tables */
  size_t width;     /* of lines, 0: any, or WIDTH_AUTOMATIC; of pictures */
  size_t min_width; /* of frames of pictures, or WIDTH_AUTOMATIC */
  enum color_choice color;
  uint64_t tables; /* bit i: table i of the command; 0: the usual ones */

  struct selection_options select;
  enum granularity by;

  const struct output *format; /* which one is written; NULL: the command's */
  const struct output *table;  /* export: of csv_tables; NULL: the first */
  enum measure value;          /* what figures count, or what comes first */
  bool one_measure; /* what is written has room for one measure alone */
  bool types;       /* export: the type as the last frame */
  bool label_threads, label_phases; /* export: as the first frames */

  struct run_options run;

  bool normalize;              /* diff: scale the old figures */
  struct growth_limits growth; /* diff: of all bytes and allocations */
  struct growth_limits function_growth;
  struct growth_limits kept_growth; /* of all bytes and objects kept */
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
