/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a command line asks for, as values.  Parsing takes an argument list
 * and gives either a filled struct or a usage error; it neither prints nor
 * opens anything.
 *
 * The options of all commands are a table: what is parsed, what --help prints
 * and shells complete from it, which are keywords in Lisp, and what the tests
 * compare with the manual pages.  A new option is a field of struct options
 * and a row.
 */

#pragma once

#include "analysis/view_options.h"
#include "base/pool.h"
#include "diff/diff.h"
#include "profile/reader.h"

enum command {
  COMMAND_NONE,
  COMMAND_REPORT,
  COMMAND_ADVISE,
  COMMAND_EXPORT,
  COMMAND_DIFF,
  COMMAND_MERGE,
  COMMAND_FLAMEGRAPH,
  COMMAND_GRAPH,
  COMMAND_RUN,
  COMMAND_TOP,
  COMMAND_HELP,
  COMMAND_VERSION
};

enum color_choice { COLOR_AUTOMATIC, COLOR_ALWAYS, COLOR_NEVER };

enum children_choice { CHILDREN_TRACED, CHILDREN_LEFT_OUT };

/* A profile that is open, and what of it counts; nothing is owned. */
struct open_profile {
  const struct profile *profile;
  const uint64_t *samples; /* numbers of those that count, NULL: all */
  size_t sample_count;
  const struct profile *base; /* to compare with; NULL: nothing */
};

/* What mprof run tells the monitor of C programs, and whether it speaks.
 * Numbers are 0 if they were not given. */
struct run_options {
  bool off, quiet;            /* count later; say nothing */
  bool unfolded;              /* with all depths of a recursion */
  bool reachable;             /* at the end, seek what is lost */
  struct growth_limits leaks; /* of lost bytes; text NULL: no limit */
  const char *signal;         /* that starts and stops counting, or NULL */
  const char *only;           /* names of programs, or NULL: all */
  const char *serve; /* where; NULL: nobody looks at it while it runs */
  size_t every;      /* seconds between two tables of top */
  enum children_choice children;
  uint64_t timeline;        /* length of its slices, ns */
  size_t process, seconds;  /* id of one that runs already, and how long it is
                               profiled */
  size_t budget, temporary; /* most pairs of chain and object size; number of
                               the next allocation before which temporary
                               objects are freed */
};

struct options {
  enum command command;
  enum command topic;              /* of help */
  bool help;                       /* is asked for, on the command */
  bool tables;                     /* help is on the tables' columns */
  const char **files;              /* or a program and its arguments; not
                                      copied; NULL is behind the last */
  size_t file_count;               /* zero: the default file */
  const struct open_profile *open; /* not NULL: look at this, not at files */
  const char *output;              /* file to write, NULL: standard output */
  const struct output *format;     /* that is written; NULL: the command's */

  uint32_t detail; /* least share of a row, unless that is given by itself;
                      0: all rows, and tables that tell nothing */
  enum color_choice color;
  const char *rules; /* a file of rules of advice, NULL: only our own */
  const char *base;  /* the file to compare with, NULL: none */
  struct view_options view;

  struct diff_options diff;
  struct run_options run;
};

/* Fills OPTIONS from COUNT arguments (without the program's name), which must
 * outlive it.  OPEN, unless NULL, takes the place of files, and outlives it,
 * too.  Fails with MPROF_USAGE; *COMMAND is set before, if it is known. */
void options_parse(struct options *options, int count,
                   const char *const *arguments,
                   const struct open_profile *open, enum command *command);

/* ---- the table --------------------------------------------------------- */

struct option_row;

/* A value on a command line, and where it is to be stored. */
struct option_value {
  const struct option_row *row;
  const char *text; /* NULL: there is none */
  void *field;      /* of struct options */
};

/* Stores the value V in its field.  Fails with MPROF_USAGE if the text is
 * wrong, and says what the option takes. */
typedef void option_store(const struct option_value *v);

struct option_row {
  unsigned commands;    /* that take it: bit i is enum command i */
  const char *name;     /* without dashes */
  const char *argument; /* what the value is called, NULL: takes none; one
                           that may be left out is in brackets, with the = */
  const char *help;     /* the words follow where it ends in a blank; NULL:
                           a word that is understood and not listed */
  option_store *store;
  size_t field;             /* where it is stored: offset in struct options */
  size_t number;            /* for `store', as below */
  const char *const *words; /* that it takes: the first one, and bytes from */
  size_t stride;            /* each to the next, up to a NULL */
  const char *formats; /* that it counts for, or "not" and the one that it
                          does not; NULL: for all */
};

/* In the order of --help; ends with a row whose name is NULL. */
extern const struct option_row option_rows[];

/* Store a field of the type that is said here.  The number and the words are
 * those of the row. */
option_store store_flag;    /* bool: the number */
option_store store_choice;  /* an enum: the number */
option_store store_number;  /* size_t: 1 to the number; SIZE_MAX: from 0 on */
option_store store_percent; /* uint32_t, in millionths: 0 to 100 % */
option_store store_time;   /* uint64_t, in nanoseconds, at least the number of
                              the row; no text: 1 s */
option_store store_text;   /* const char *; not empty if there is a number */
option_store store_signal; /* const char *: its name or number, checked */
option_store store_growth; /* struct growth_limits */
option_store store_leaks;  /* the same, but one limit in bytes alone */
/* an enum: the first word means the number, the next one more */
option_store store_word;
option_store store_granularity; /* struct view_options: `by', `by_label' */
/* const struct output *: the row of the array that begins with the word */
option_store store_row;
/* uint64_t: bit i for word i, of several with commas between them; unless the
 * number is 0, added to what an option before it has said */
option_store store_list;

/* Returns the words of ROW, in the pool in use: "a, b or c", or "and" for a
 * list. */
const char *option_words(const struct option_row *row);

/* The dashes in front of the option NAME, as in "-o" and "--limit". */
#define OPTION_DASHES(name) ((name)[1] == '\0' ? "-" : "--")
