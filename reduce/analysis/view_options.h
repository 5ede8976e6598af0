/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which part of a profile is looked at, and how: the choices that tables,
 * exports and comparisons share.  The file command/options.h says how they
 * are given. */

#pragma once

#include "analysis/selection.h"
#include "profile/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order of rows.  A table without such figures is sorted by bytes. */
enum sort_key {
  SORT_DEFAULT,
  SORT_INCLUSIVE, /* bytes with all below; from here to SORT_NAME: mprof top
                   */
  SORT_BYTES,     /* from here to SORT_TEMPORARY: mprof diff */
  SORT_ALLOCS,
  SORT_NAME,
  SORT_KEPT,      /* bytes never freed; in Lisp alive */
  SORT_LIVE,      /* the same */
  SORT_PEAK,      /* bytes live when most were */
  SORT_TEMPORARY, /* objects freed before the next allocations */
  SORT_CALLS,
  SORT_SELF /* bytes that a function itself allocated */
};

/* Further frames that a chain can have: the type as the last, the phase as
 * the first, and the thread before that. */
enum added_frame { FRAME_TYPE, FRAME_PHASE, FRAME_THREAD };

/* Returns whether FRAME is among ADDED, bits as in view_options. */
static inline bool
adds_frame(uint64_t added, enum added_frame frame)
{
  return (added >> frame & 1) != 0;
}

enum leak_choice { LEAKS_AUTOMATIC, LEAKS_ON, LEAKS_OFF };

/* The width of the terminal, if there is one. */
#define WIDTH_AUTOMATIC SIZE_MAX

/* Shares are kept in millionths, so that they compare exactly. */
enum { SHARE_WHOLE = 1000000 };

/* Callers in a path of the leak table, by default. */
enum { DEFAULT_CALLERS = 5 };

struct output;
struct rule_list;
struct view;

struct view_options {
  const char **files; /* names as given, for messages; not owned */
  size_t file_count;

  struct selection_options select;
  enum granularity by;
  const char *by_label; /* BY_LABEL: the key */
  enum measure value;   /* what figures count, or what comes first */
  bool one_measure;     /* the output has room for one measure alone */

  uint64_t tables;    /* bit i: table i of the command; 0: the usual ones */
  uint32_t min_share; /* millionths; rows below this share of the total are
                         left out */
  size_t limit;       /* most rows a table, SIZE_MAX: no limit */
  enum sort_key sort;
  bool verbose; /* every row, and tables that tell nothing */
  bool legend;
  size_t width; /* of lines in characters, 0: any, or WIDTH_AUTOMATIC */

  enum leak_choice leaks;
  bool offsets;   /* tell call sites in one function apart in these paths */
  size_t callers; /* in paths of leaks, at most */
  const char *suppressions; /* a file: see suppressions.h; NULL: those of
                               mprof alone, "none": not even those */
  bool leaks_only; /* what is suppressed counts as neither kept nor lost */

  const struct output *table; /* export: of csv_tables; NULL: the first */
  uint64_t added_frames;      /* export: bit i is enum added_frame i */
  bool tree_alone;            /* the view gets no tally and no graph */
  bool no_source; /* leave out what stands in source files; page */

  /* Further input of outputs; NULL: there is none. */
  const struct rule_list *rules; /* of advice; NULL: there is no advice */
  const struct view *base;       /* what is compared with */
  const struct view *lines;      /* by line, if the profile has lines */
  const struct view *held;       /* of what holds live objects */
};
