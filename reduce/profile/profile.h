/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile in memory: what one or several profile files say, without loss,
 * with every reference turned into an index.  Chains of calls are a tree:
 *
 *   sample -> node -> location -> lines -> function -> name
 *     |         +--> parent node, the caller; node 0 is the root
 *     +--> labels (type, size, thread, ...), values by column
 *
 * Parents stand before their children.  Equal chains are one node; what was
 * allocated at the end of a chain with certain labels is a sample.  Names are
 * interned, so that equal text is an equal id.
 *
 * Which column counts what is found by the names of the sample types;
 * column_of says it.  All that counts goes by enum measure, but for calls and
 * what was lost indirectly.  Sums over all samples fit into 63 bits (the
 * reader sees to it), so that no later stage checks additions.
 *
 * reader.h makes it of one file or several; nothing that is computed from it
 * changes it, so that one profile serves many commands.
 */

#pragma once

#include "base/index_map.h"
#include "base/names.h"
#include "base/tree.h"
#include "profile/labels.h"
#include "profile/measure.h"

/* ---- where: functions, locations, the tree ---- */

struct profile_mapping {
  uint64_t start, end, offset;
  uint32_t file, build_id; /* name ids */
  unsigned flags;          /* bit i: field PPROF_MAPPING_HAS_FUNCTIONS + i */
};

struct profile_function {
  uint32_t name, system_name, file; /* name ids, 0 when not known */
  int64_t start_line;               /* 0 when not known */
};

struct profile_line {
  uint32_t function; /* INDEX_NONE: not known */
  int64_t line;      /* of the call, 0 when not known */
  int64_t column;    /* the same */
};

struct profile_location {
  uint64_t address;    /* of the call, 0 when not known */
  uint32_t mapping;    /* INDEX_NONE: not known */
  uint32_t line_count; /* more than one: all but the last are inlined; 0: no
                          function is known */
  size_t first_line;   /* index into lines; the innermost */
  bool folded; /* several symbols have this address (pprof's is_folded) */
};

/* ---- what ---- */

struct profile_sample {
  uint32_t node;   /* of the tree: the leaf's */
  uint32_t labels; /* index into labels */
};

/* ---- about the whole ---- */

struct profile_value_type {
  uint32_t type, unit; /* name ids */
};

/* Uses of columns: by enum measure; then calls, what was freed in a slice of
 * time, and what was kept and lost with something else. */
enum {
  NO_COLUMN = -1,
  COLUMN_OF_CALLS = MEASURE_COUNT,
  COLUMN_OF_FREED_ALLOCS, /* these are in the order of enum pprof_column */
  COLUMN_OF_FREED_BYTES,
  COLUMN_OF_INDIRECT_ALLOCS,
  COLUMN_OF_INDIRECT_BYTES,
  COLUMN_USES
};

struct profile_column {
  int index;      /* among the values of a sample; NO_COLUMN: absent */
  uint64_t scale; /* bytes in one unit of it, 1 for counts */
};

/* How many files, all of other programs, leave something open. */
struct profile_gaps {
  size_t live;      /* say what was live, not what was allocated */
  size_t countless; /* count no objects */
  size_t apart;     /* have more live than allocated in some sample */
  size_t changes;   /* have negative figures of what was live */
  size_t sampled;   /* recorded a sample of all allocations */
  int64_t period;   /* the largest period of these, in bytes */
};

/* Numbers that a file carries in its comments. */
enum profile_fact {
  FACT_ALLOCATIONS,
  FACT_BYTES,
  FACT_MALLOC_BYTES, /* of a Lisp program, which the collector does not count
                      */
  FACT_ROUNDED_BYTES,
  FACT_COLLECTOR_BYTES,
  FACT_COLLECTOR_RECORD_BYTES, /* for finalizers, threads, ... */
  FACT_RESIDUAL_BYTES,         /* may be negative */
  FACT_UNATTRIBUTED_ALLOCATIONS,
  FACT_UNATTRIBUTED_BYTES,
  FACT_CUT_ALLOCATIONS, /* whose chain lacks the outermost callers */
  FACT_DIFFERING_WALKS, /* whole walks that contradict a frame word */
  FACT_CONTEXTS,
  FACT_THREADS,
  FACT_CALLS, /* of an export: all that led to its allocations, also those of
                 functions that it hides */
  FACT_LIVE_COLLECTION, /* which one says what is alive; of several files the
                           largest, and no sum; 0: none has yet */
  FACT_COUNT
};

struct profile {
  struct names names;
  struct profile_mapping *mappings;
  size_t mapping_count, mapping_capacity;
  struct profile_function *functions;
  size_t function_count, function_capacity;
  struct profile_line *lines;
  size_t line_count, line_capacity;
  struct profile_location *locations;
  size_t location_count, location_capacity;
  struct row_table mapping_rows, function_rows, location_rows; /* to find
                        equal ones; gone when the profile is settled */
  struct tree tree; /* its items are locations */

  struct row_table label_rows;
  struct profile_labels *labels; /* by row */
  size_t labels_capacity;
  struct profile_type *types;
  size_t type_count, type_capacity;
  uint32_t *threads; /* name ids, 0 when not known */
  size_t thread_count, thread_capacity;
  uint32_t *regions; /* name ids of paths, 0 for what is in none */
  size_t region_count, region_capacity;
  struct row_table type_rows; /* to find these, by number */
  struct index_map thread_numbers, region_numbers;

  struct profile_sample *samples;
  size_t sample_count, sample_capacity;
  uint64_t *values; /* of sample i, from i * column_count on, in units of the
                       columns: see profile_value */
  size_t value_capacity;
  struct profile_value_type *columns;
  size_t column_count;
  struct profile_column column_of[COLUMN_USES]; /* by use */
  uint8_t measures[MEASURE_COUNT]; /* those that have a column, once the
                                      profile is settled */
  size_t measure_count;

  uint32_t *comments; /* name ids of "key=value", in file order */
  size_t comment_count, comment_capacity;
  struct index_map comments_once; /* those of profile_add_comment_once */
  struct index_map unknown_calls; /* by name: functions so called whose calls
                                     some file does not count */
  struct profile_value_type period_type;
  int64_t time_nanos, duration_nanos, period; /* of all files: the earliest
                        start, since 1970; the sum; the largest; 0: unknown */
  uint32_t drop_frames, keep_frames, default_type; /* name ids */

  size_t file_count;   /* one that was merged counts as all of its files */
  uint64_t text_limit; /* bytes, of all files: input_file_text_limit */
  enum language language;
  bool by_mprof;        /* all files are */
  bool addresses_alone; /* a file has nothing else: names are to be read from
                           files of code without a known build id */
  struct profile_gaps gaps;
  uint64_t total[COLUMN_USES];   /* of all samples, by use; bytes or counts */
  int64_t facts[FACT_COUNT];     /* sums, but for FACT_LIVE_COLLECTION */
  size_t fact_files[FACT_COUNT]; /* how many files gave it */
};

/* Makes PROFILE an empty one, in the pool in use. */
void profile_init(struct profile *profile);

/* ---- building ---- */

/* Return the number of what is added, or of an equal one that is there.  A
 * location gets the COUNT lines at LINES, the innermost first, which are
 * copied; its own line_count and first_line are ignored. */
uint32_t profile_add_mapping(struct profile *profile,
                             struct profile_mapping mapping);
uint32_t profile_add_function(struct profile *profile,
                              struct profile_function function);
uint32_t profile_add_location(struct profile *profile,
                              struct profile_location location,
                              const struct profile_line *lines, size_t count);

/* Appends LINE to LOCATION, which has no line or got the last one of all. */
void profile_add_line(struct profile *profile, uint32_t location,
                      struct profile_line line);

/* Appends a sample, but leaves the totals alone.  Returns its column_count
 * values, all 0, to be set before the next one is added. */
uint64_t *profile_add_sample(struct profile *profile,
                             struct profile_sample sample);

/* Add the comment TEXT, a name id; the second unless it has added it before,
 * for what is said of a function or of a file of the program.  Comments with
 * figures add up, also equal ones. */
void profile_add_comment(struct profile *profile, uint32_t text);
void profile_add_comment_once(struct profile *profile, uint32_t text);

/* Fills in the types of all samples and `measures', and clears totals of uses
 * without a column.  Called once, when all samples are there. */
void profile_settle(struct profile *profile);

/* Makes one of samples that are alike in chain and labels, unless the sum
 * would say less than both: samples that count objects, bytes of bodies that
 * grew, and calls stay apart, and so do, where another program wrote no
 * sizes, those of different mean size.  Samples keep the order in which the
 * first of each kind came.  Called before profile_settle.  Fails if a sum
 * overflows. */
void profile_fold_samples(struct profile *profile);

/* ---- reading ---- */

/* Returns the text of the name ID; valid as long as the profile. */
static inline const char *
profile_text(const struct profile *profile, uint32_t id)
{
  return names_text(&profile->names, id);
}

/* Returns whether some column is for that USE. */
static inline bool
profile_has(const struct profile *profile, int use)
{
  return profile->column_of[use].index != NO_COLUMN;
}

/* Returns what sample I has for USE, in bytes where it is of bytes; 0 without
 * a column. */
static inline uint64_t
profile_value(const struct profile *profile, size_t i, int use)
{
  const struct profile_column column = profile->column_of[use];
  const uint64_t *values = profile->values + i * profile->column_count;
  return column.index == NO_COLUMN ? 0 : values[column.index] * column.scale;
}

/* Returns the number of the sample type (enum pprof_column) that files by
 * mprof have for USE. */
int profile_file_column(int use);

/* Returns the value of the first comment "KEY=value", NULL if there is none;
 * valid as long as the profile. */
const char *profile_comment(const struct profile *profile, const char *key);

/* Returns the value, a part of TEXT, if TEXT is "KEY=value", else NULL. */
const char *comment_value(const char *text, const char *key);

/* Returns the value of the comment with the number I if that is "KEY=value",
 * else NULL. */
const char *profile_comment_value(const struct profile *profile, size_t i,
                                  const char *key);

/* Returns the name of the thread INDEX, or "[unnamed]"; owned by PROFILE. */
const char *profile_thread_name(const struct profile *profile, size_t index);

/* The comment keys of facts, such as "mprof.bytes". */
extern const char *const profile_fact_keys[FACT_COUNT];

/* Returns whether every file of PROFILE gave FACT. */
bool profile_knows(const struct profile *profile, enum profile_fact fact);
