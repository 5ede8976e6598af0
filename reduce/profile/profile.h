/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile in memory: what one or several profile files say, checked and
 * with every reference turned into an index.
 *
 *   sample -> chain of frames, leaf first -> function -> name
 *          -> type row (category, type, class)
 *
 * Samples, frames, functions and types are plain arrays; names are interned,
 * so that equal text is an equal id.  The reader appends to a profile,
 * grouping.h may put groups in the place of functions, every later stage only
 * reads it; then several threads may share it.  Sums over
 * all samples fit into 63 bits (the reader sees to it), so that no later
 * stage needs to check additions.
 */

#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include "profile/index_map.h"
#include "profile/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CATEGORY_COUNT = 4 };

/* What categories mean: kinds of object for Lisp, sizes for C. */
enum language { LANGUAGE_UNKNOWN, LANGUAGE_C, LANGUAGE_LISP };

/* Counts and bytes of a set of allocations.  Bytes are bytes requested;
 * kept is what was never freed (C only). */
struct figures {
  uint64_t allocs;
  uint64_t bytes;
  uint64_t kept_allocs;
  uint64_t kept_bytes;
  uint64_t peak_allocs; /* live when most bytes were (C only) */
  uint64_t peak_bytes;
  uint64_t temporary_allocs; /* freed before the next ones (C only) */
  uint64_t category_bytes[CATEGORY_COUNT];
  uint64_t category_kept[CATEGORY_COUNT];
};

/* Stands for a number of calls that is not known: of a function of which they
 * are not counted, and of all that has such a number in it.  No sum is as
 * large. */
#define CALLS_UNKNOWN UINT64_MAX

struct profile_function {
  uint32_t name;        /* name id of the name shown */
  uint32_t file;        /* name id, 0 when not known */
  int64_t start_line;   /* 0 when not known */
  uint64_t low_address; /* lowest address seen in it, 0 when none */
  bool runtime;         /* a C function of the runtime, hidden by default */
  bool c;               /* its name is that of a C function */
};

struct profile_frame {
  uint32_t function;
  int64_t line;     /* of the call, 0 when not known */
  uint64_t address; /* of the call, 0 when not known */
};

/* What an object is; CATEGORY indexes the breakdown columns. */
struct profile_type {
  unsigned category;
  uint32_t type;       /* name id, 0 when not known */
  uint32_t class_name; /* name id, 0 for objects without a class */
};

/* How large the objects of a sample are. */
enum size_kind {
  SIZE_EXACT,  /* object_bytes each */
  SIZE_LARGE,  /* different sizes, each above 2048 bytes */
  SIZE_GROWTH, /* no object: the body of an existing one grew */
  SIZE_UNKNOWN /* nobody counted the objects */
};

struct profile_sample {
  size_t first_frame; /* into chains; the leaf */
  size_t frame_count; /* may be zero */
  uint64_t allocs;
  uint64_t bytes;
  uint64_t kept_allocs;
  uint64_t kept_bytes;
  uint64_t peak_allocs;
  uint64_t peak_bytes;
  uint64_t temporary_allocs;
  uint64_t activations; /* of the leaf's function below this chain */
  uint64_t object_bytes;
  enum size_kind size_kind;
  uint32_t type;       /* index into types */
  uint32_t thread;     /* index into threads */
  uint32_t region;     /* index into regions */
  unsigned char phase; /* enum phase, as the file states it; PHASE_COUNT: it
                          does not, and the chain tells */
};

/* What files of other programs leave open, by number of files. */
struct profile_gaps {
  size_t live;        /* say what was live, not what was allocated */
  size_t countless;   /* count no objects */
  size_t sampled;     /* recorded a sample of all allocations, ... */
  int64_t period;     /* ... one in so many bytes, at most */
  size_t unread_drop; /* name frames to drop in a way not understood */
};

/* Numbers that a file carries in its comments. */
enum profile_fact {
  FACT_ALLOCATIONS,
  FACT_BYTES,
  FACT_ROUNDED_BYTES,
  FACT_COLLECTOR_BYTES,
  FACT_COLLECTOR_RECORD_BYTES, /* for finalizers, threads, ... */
  FACT_RESIDUAL_BYTES,         /* may be negative */
  FACT_UNATTRIBUTED_ALLOCATIONS,
  FACT_UNATTRIBUTED_BYTES,
  FACT_TRUNCATED_WALKS, /* of the stack, that did not reach its beginning */
  FACT_DIFFERING_WALKS, /* whole walks that contradict a frame word */
  FACT_CONTEXTS,
  FACT_THREADS,
  FACT_COUNT
};

struct progress;

struct profile {
  struct names names;
  struct profile_function *functions;
  size_t function_count, function_capacity;
  struct profile_frame *frames;
  size_t frame_count, frame_capacity;
  uint32_t *chains; /* frame indices, leaf first; samples point here */
  size_t chain_count, chain_capacity;
  struct profile_sample *samples;
  size_t sample_count, sample_capacity;
  struct profile_type *types;
  size_t type_count, type_capacity;
  uint32_t *threads; /* name ids, 0 when not known */
  size_t thread_count, thread_capacity;
  uint32_t *regions; /* name ids of paths, 0 for what is in none */
  size_t region_count, region_capacity;
  uint32_t *comments; /* name ids of "key=value", in file order */
  size_t comment_count, comment_capacity;

  struct index_map function_ids;  /* by name and runtime */
  struct index_map type_ids;      /* by category, type and class */
  struct index_map thread_ids;    /* by name */
  struct index_map region_ids;    /* by name */
  struct index_map unknown_calls; /* by name: see profile_calls_known */

  struct progress *progress; /* told of reading; NULL: nobody is */
  size_t file_count; /* one that was merged counts as all of its files */
  enum language language;
  bool has_kept;        /* some column says what was never freed */
  bool has_activations; /* some column counts activations */
  bool has_peak;        /* some column says what was live at the peak */
  bool has_temporary;   /* some column counts temporary objects */
  struct profile_gaps gaps;
  struct figures total; /* category sums not filled in */
  uint64_t total_activations;
  int64_t facts[FACT_COUNT];     /* summed over files */
  size_t fact_files[FACT_COUNT]; /* how many files gave it */
};

/* The comment key of FACT, such as "mprof.bytes". */
const char *profile_fact_key(enum profile_fact fact);

/* An empty profile; false when memory runs out (release it even then). */
bool profile_init(struct profile *profile);
void profile_release(struct profile *profile);

/* The index of the function called NAME (a name id), added when new; FILE
 * and START_LINE fill gaps of one that is known.  INDEX_NONE when memory
 * runs out. */
uint32_t profile_function(struct profile *profile, uint32_t name,
                          uint32_t file, int64_t start_line, bool runtime);

/* Notes that the calls of functions called NAME (a name id) are not counted;
 * false when memory runs out. */
bool profile_add_unknown_calls(struct profile *profile, uint32_t name);

/* Whether the calls of FUNCTION are counted in all files. */
bool profile_calls_known(const struct profile *profile, uint32_t function);

/* The index of the type row, added when new; INDEX_NONE when memory runs
 * out. */
uint32_t profile_type(struct profile *profile, unsigned category,
                      uint32_t type, uint32_t class_name);

/* The index of the thread called NAME (a name id), added when new; INDEX_NONE
 * when memory runs out. */
uint32_t profile_thread(struct profile *profile, uint32_t name);

/* The same for the region with the path NAME, 0 for none. */
uint32_t profile_region(struct profile *profile, uint32_t name);

/* Append one frame, one link of a chain, one sample, one comment.  False
 * when memory runs out. */
bool profile_add_frame(struct profile *profile, struct profile_frame frame);
bool profile_add_link(struct profile *profile, uint32_t frame);
bool profile_add_sample(struct profile *profile,
                        const struct profile_sample *sample);
bool profile_add_comment(struct profile *profile, uint32_t text);

/* The value of the INDEX-th comment (from zero) "KEY=value", NULL when there
 * are fewer; valid as long as the profile. */
const char *profile_comment(const struct profile *profile, const char *key,
                            size_t index);

/* What the comment with the number I says when it is "KEY=...", else NULL;
 * to go through all: profile_comment counts from the first each time. */
const char *profile_comment_value(const struct profile *profile, size_t i,
                                  const char *key);

/* How the thread INDEX is called; valid as long as the profile. */
const char *profile_thread_name(const struct profile *profile, size_t index);

/* Whether every file of PROFILE gave FACT. */
bool profile_knows(const struct profile *profile, enum profile_fact fact);

/* The letter ("c") and the name ("cons", "<= 32") of CATEGORY. */
const char *category_letter(enum language language, unsigned category);
const char *category_name(enum language language, unsigned category);

/* The category of the category label NAME for Lisp; "other" when not known.
 */
unsigned category_of_label(const char *name);

/* The category of an object of BYTES bytes for C. */
unsigned category_of_size(uint64_t bytes);

/* What SAMPLE counts, as figures, given its TYPE row; without a category
 * where sizes are not known. */
struct figures figures_of_sample(const struct profile_sample *sample,
                                 const struct profile_type *type);

void figures_add(struct figures *sum, const struct figures *more);

/* The calls A and B together, each of which may be CALLS_UNKNOWN. */
static inline uint64_t
calls_add(uint64_t a, uint64_t b)
{
  return a == CALLS_UNKNOWN || b == CALLS_UNKNOWN ? CALLS_UNKNOWN : a + b;
}

#endif
