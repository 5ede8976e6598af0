/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The union of two views: what each function, type and context has in the old
 * one and in the new one.
 *
 * Functions are the same when their names are, contexts when all names on
 * their chains are, as they show under the options; so two builds of a
 * program can be compared.  Inclusive figures count a function once a chain.
 *
 * A comparison is built once and then only read.
 */

#pragma once

#include "analysis/view.h"
#include "base/pool.h"
#include "base/sink.h"
#include "tables/output.h"

/* ---- limits of growth, for scripts ---- */

/* Such as "5%", "1MiB", "1000allocs", "function:5%", "kept:0".
 *
 *   N%        per cents of all bytes of the old profile
 *   N%allocs  per cents of all its allocations
 *   Nallocs   allocations
 *   N, Nunit  bytes, in B, kB, MB, GB (thousands), KiB, MiB, GiB (1024)
 *
 * N has up to six decimals.  Several limits are separated by commas.  They
 * are compared exactly, without rounding.
 */
enum growth_of {
  GROWTH_OF_TOTAL,    /* all bytes and allocations */
  GROWTH_OF_FUNCTION, /* those of the function that grew most */
  GROWTH_OF_KEPT,     /* all bytes and objects kept */
  GROWTH_SUBJECTS
};

enum growth_kind {
  GROWTH_BYTES,
  GROWTH_ALLOCS,
  GROWTH_BYTE_SHARE, /* per cents of the old total */
  GROWTH_ALLOC_SHARE,
  GROWTH_KINDS
};

struct growth_limits { /* all zero: no limit */
  const char *text;    /* as given */
  bool any[GROWTH_SUBJECTS];
  struct growth_limit {
    bool set;
    uint64_t millionths; /* of one byte, allocation, per cent */
  } of[GROWTH_SUBJECTS][GROWTH_KINDS];
};

/* Parses TEXT, which must outlive them, into LIMITS; false when it is none of
 * the above. */
bool growth_limits_parse(struct growth_limits *limits, const char *text);

/* Returns whether the growth from OLD to NEW is beyond LIMIT, which is of
 * KIND; WHOLE is the old total that shares are shares of. */
bool growth_exceeds(const struct growth_limit *limit, enum growth_kind kind,
                    uint64_t old, uint64_t new, uint64_t whole);

/* ---- comparisons ---- */

/* How two profiles are compared, and what growth is too much. */
struct diff_options {
  bool normalize; /* scale the old figures of all rows but the totals by the
                     ratio of the totals; limits of functions, too */
  struct growth_limits limits;
};

enum diff_side { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

enum diff_kind {
  DIFF_FUNCTIONS, /* by what each allocated itself */
  DIFF_INCLUSIVE, /* with all below it */
  DIFF_TYPES,
  DIFF_CONTEXTS, /* whole chains, by what their leaf allocated */
  DIFF_KINDS,
  DIFF_TOTALS = DIFF_KINDS, /* an entry for each total, in MEASURE_BYTES
                               whatever its unit */
  DIFF_TABLES
};

/* By enum measure; one more is of calls, perhaps CALLS_UNKNOWN. */
enum { DIFF_CALLS = MEASURE_COUNT, DIFF_COUNTS };

struct diff_figures {
  uint64_t counts[DIFF_COUNTS];
};

/* What both sides have of a function, a type or a chain. */
struct diff_entry {
  const char *name; /* of a chain, that of its leaf */
  uint32_t node;    /* in the tree of the table */
  bool present[DIFF_SIDES];
  struct diff_figures sides[DIFF_SIDES];
};

/* A tree of name ids: of contexts their chains, of all else one below the
 * root.  Entries are those that a side has: by node while they are made, then
 * in the order of their names from the root on; totals in that of printing.
 */
struct diff_table {
  struct tree tree;
  struct diff_entry *entries;
  size_t entry_count, capacity;
};

struct diff {
  const struct view_options *options; /* the files are the sides */
  const struct diff_options *given;
  const struct view *sides[DIFF_SIDES];
  struct names names;
  struct diff_table tables[DIFF_TABLES];
  struct diff_figures totals[DIFF_SIDES]; /* calls: of the functions whose
                                             calls both sides know */
};

/* Fails with MPROF_BAD_PROFILE unless OLD and NEW are profiles of one
 * language. */
void diff_check_languages(const struct profile *old,
                          const struct profile *new);

/* Compares PROFILES, seen through OPTIONS.  All of them must outlive DIFF.
 * Fails as view_make and diff_check_languages do. */
void diff_init(struct diff *diff, const struct profile profiles[DIFF_SIDES],
               const struct view_options *options,
               const struct diff_options *given);

/* Returns whether both sides say what MEASURE, perhaps DIFF_CALLS, counts. */
bool diff_knows(const struct diff *diff, unsigned measure);

/* Sets GROWN to a line on the first growth beyond the limits of the options,
 * "" when there is none.  Fails if a limit is of what is kept, and a side
 * does not know that. */
void diff_check_growth(const struct diff *diff,
                       char grown[MPROF_ERROR_LENGTH]);

/* By enum diff_kind; ends with a row whose name is NULL. */
extern const struct output diff_tables[];

/* Writes the totals and the tables that the options ask for, and what their
 * columns mean. */
void diff_write(const struct diff *diff, struct sink *sink);

/* Writes what the columns of DIFF mean; NULL: those of any comparison. */
void diff_explain(const struct diff *diff, struct sink *sink);

/* Writes one table, with what it leaves out. */
void diff_write_table(const struct diff *diff, enum diff_kind kind,
                      struct sink *sink);
