/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The format of profile files: pprof's profile.proto, a gzip-compressed
 * protobuf message.  This is the one place that has its field numbers, and
 * the names of what mprof puts into it: sample types, labels and comments.
 * mprof-formats(5) says what they mean.
 *
 * A field is a tag, a varint of (number << 3 | wire type), and a value: a
 * varint (type 0), eight bytes (1), a length and that many bytes (2) or four
 * bytes (5).  Length-delimited values hold strings, messages, or repeated
 * numbers without tags.  Strings are references to the string table.
 *
 * Fields of mprof's own have numbers above 1000; other programs skip them.
 * So a file looks there as it looks here: frames that are hidden by default
 * do not show, and few comments do.
 */

#pragma once

#include <stdint.h>

enum pprof_wire_type {
  PPROF_WIRE_VARINT = 0,
  PPROF_WIRE_64 = 1,
  PPROF_WIRE_BYTES = 2,
  PPROF_WIRE_32 = 5
};

/* Of message Profile. */
enum pprof_profile_field {
  PPROF_SAMPLE_TYPE = 1, /* ValueType */
  PPROF_SAMPLE = 2,
  PPROF_MAPPING = 3,
  PPROF_LOCATION = 4,
  PPROF_FUNCTION = 5,
  PPROF_STRING = 6,      /* [0] must be "" */
  PPROF_DROP_FRAMES = 7, /* regular expressions */
  PPROF_KEEP_FRAMES = 8,
  PPROF_TIME = 9, /* nanoseconds since the epoch */
  PPROF_DURATION = 10,
  PPROF_PERIOD_TYPE = 11, /* ValueType */
  PPROF_PERIOD = 12,
  PPROF_COMMENT = 13,
  PPROF_DEFAULT_TYPE = 14, /* the name of a sample type */
  PPROF_OWN_COMMENT = 1001 /* mprof's own: a comment for mprof, which pprof
                              would print above each table */
};

enum pprof_value_type_field {
  PPROF_VALUE_TYPE_NAME = 1,
  PPROF_VALUE_TYPE_UNIT = 2
};

enum pprof_sample_field {
  PPROF_SAMPLE_LOCATIONS = 1, /* ids, the leaf first */
  PPROF_SAMPLE_VALUES = 2,    /* one for each sample type */
  PPROF_SAMPLE_LABEL = 3,
  PPROF_SAMPLE_HIDDEN = 1001 /* mprof's own: what the locations leave out, as
                                runs.  Of each: how many locations there are
                                between it and the one before, how many ids
                                it has, and these */
};

enum pprof_label_field {
  PPROF_LABEL_KEY = 1,
  PPROF_LABEL_TEXT = 2,
  PPROF_LABEL_NUMBER = 3,
  PPROF_LABEL_UNIT = 4
};

enum pprof_mapping_field {
  PPROF_MAPPING_ID = 1, /* not zero, as all ids */
  PPROF_MAPPING_START = 2,
  PPROF_MAPPING_END = 3,
  PPROF_MAPPING_OFFSET = 4,
  PPROF_MAPPING_FILE = 5,
  PPROF_MAPPING_BUILD_ID = 6,
  PPROF_MAPPING_HAS_FUNCTIONS = 7, /* from here on flags */
  PPROF_MAPPING_HAS_FILENAMES = 8,
  PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
  PPROF_MAPPING_HAS_INLINE_FRAMES = 10
};

enum pprof_location_field {
  PPROF_LOCATION_ID = 1,
  PPROF_LOCATION_MAPPING = 2, /* id; 0: not known */
  PPROF_LOCATION_ADDRESS = 3,
  PPROF_LOCATION_LINE = 4, /* [0] is the innermost frame */
  PPROF_LOCATION_FOLDED = 5
};

enum pprof_line_field {
  PPROF_LINE_FUNCTION = 1, /* id */
  PPROF_LINE_NUMBER = 2,
  PPROF_LINE_COLUMN = 3
};

enum pprof_function_field {
  PPROF_FUNCTION_ID = 1,
  PPROF_FUNCTION_NAME = 2,
  PPROF_FUNCTION_SYSTEM_NAME = 3,
  PPROF_FUNCTION_FILE = 4,
  PPROF_FUNCTION_START_LINE = 5
};

/* The sample types of files by mprof, in their order.  In a Lisp profile
 * what is kept is what was alive at the last collection, and at the peak, at
 * that which left most.  What is held is what is kept once more, in samples
 * of its own: the chain of such a sample is not of calls but of what holds
 * its objects. */
enum pprof_column {
  PPROF_COUNT,
  PPROF_BYTES,
  PPROF_CALLS,
  PPROF_KEPT_COUNT,
  PPROF_KEPT_BYTES,
  PPROF_PEAK_COUNT,
  PPROF_PEAK_BYTES,
  PPROF_TEMPORARY,
  PPROF_LOST_COUNT, /* of what was kept, directly */
  PPROF_LOST_BYTES,
  PPROF_INDIRECT_COUNT, /* through something else that was lost */
  PPROF_INDIRECT_BYTES,
  PPROF_HELD_COUNT,
  PPROF_HELD_BYTES,
  PPROF_FREED_COUNT, /* in the time of the sample, of all ages */
  PPROF_FREED_BYTES,
  PPROF_COLUMNS
};

/* Which ones a file has, bit by bit: a C profile, one for which it was sought
 * what was lost, and what a timeline adds; a Lisp profile, one for which
 * objects were followed, and one that says what holds them. */
#define PPROF_BELOW(column) ((UINT64_C(1) << (column)) - 1)
#define PPROF_C_COLUMNS PPROF_BELOW(PPROF_LOST_COUNT)
#define PPROF_REACH_COLUMNS PPROF_BELOW(PPROF_HELD_COUNT)
#define PPROF_FREED_COLUMNS                                                  \
  (UINT64_C(1) << PPROF_FREED_COUNT | UINT64_C(1) << PPROF_FREED_BYTES)
#define PPROF_LISP_COLUMNS PPROF_BELOW(PPROF_CALLS + 1)
#define PPROF_LIVE_COLUMNS PPROF_BELOW(PPROF_PEAK_BYTES + 1)
#define PPROF_HELD_COLUMNS                                                   \
  (PPROF_LIVE_COLUMNS | UINT64_C(1) << PPROF_HELD_COUNT |                    \
   UINT64_C(1) << PPROF_HELD_BYTES)

struct pprof_value_type {
  const char *type, *unit;
};

extern const struct pprof_value_type pprof_columns[PPROF_COLUMNS];

/* The comment of the gzip header of a file by mprof, before the number of its
 * process. */
#define PPROF_GZIP_COMMENT "mprof "

/* The file of functions of the runtime, which are hidden by default. */
#define PPROF_RUNTIME_FILE "[runtime]"

/* Keys of labels. */
#define PPROF_LABEL_BYTES "bytes" /* of one object: a number */
#define PPROF_LABEL_TYPE "type"
#define PPROF_LABEL_CLASS "class"
#define PPROF_LABEL_CATEGORY "category"
#define PPROF_LABEL_THREAD "thread"
#define PPROF_LABEL_REGION "region"
#define PPROF_LABEL_PHASE "phase"
#define PPROF_LABEL_TIME "time" /* a slice's start, in nanoseconds */

/* Keys of comments, "KEY=VALUE".  First facts, numbers about the whole. */
#define PPROF_COMMENT_ALLOCATIONS "mprof.allocations"
#define PPROF_COMMENT_BYTES "mprof.bytes"
#define PPROF_COMMENT_MALLOC_BYTES "mprof.malloc_bytes"
#define PPROF_COMMENT_ROUNDED_BYTES "mprof.rounded_bytes"
#define PPROF_COMMENT_COLLECTOR_BYTES "mprof.collector_bytes"
#define PPROF_COMMENT_COLLECTOR_RECORD_BYTES "mprof.collector_record_bytes"
#define PPROF_COMMENT_RESIDUAL_BYTES "mprof.residual_bytes"
#define PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS                               \
  "mprof.unattributed_allocations"
#define PPROF_COMMENT_UNATTRIBUTED_BYTES "mprof.unattributed_bytes"
#define PPROF_COMMENT_CUT_ALLOCATIONS "mprof.cut_allocations"
#define PPROF_COMMENT_DIFFERING_WALKS "mprof.differing_walks"
#define PPROF_COMMENT_CONTEXTS "mprof.contexts"
#define PPROF_COMMENT_THREADS "mprof.threads"
#define PPROF_COMMENT_CALLS "mprof.calls"
#define PPROF_COMMENT_CONTEXT_BYTES "mprof.context_bytes"
#define PPROF_COMMENT_PEAK_BYTES "mprof.peak_bytes"
#define PPROF_COMMENT_LIVE_COLLECTION "mprof.live_collection"

/* How to read the others. */
#define PPROF_COMMENT_VERSION "mprof.version"
#define PPROF_COMMENT_LANGUAGE "mprof.language"
#define PPROF_COMMENT_FILES "mprof.files"
#define PPROF_COMMENT_CALLS_UNKNOWN "mprof.calls_unknown"
#define PPROF_COMMENT_ROOT "mprof.root"

/* What else there is to say. */
#define PPROF_COMMENT_PROGRAM "mprof.program"
#define PPROF_COMMENT_PROCESS "mprof.process"
#define PPROF_COMMENT_COUNTED "mprof.counted" /* a function beside malloc */
#define PPROF_COMMENT_REGION "mprof.region"
#define PPROF_COMMENT_SLICE "mprof.slice" /* timeline.c */
#define PPROF_COMMENT_TYPE "mprof.type"
#define PPROF_COMMENT_CHAIN_NOTE "mprof.chain_note"
#define PPROF_COMMENT_CLASS_NOTE "mprof.class_note"
#define PPROF_COMMENT_ALLOCATOR_NOTE "mprof.allocator_note"
#define PPROF_COMMENT_LOST_NOTE "mprof.lost_note"
#define PPROF_COMMENT_UNFOUND_NOTE "mprof.unfound_note"
#define PPROF_COMMENT_RESIDUAL_NOTE "mprof.residual_note"
#define PPROF_COMMENT_SYMBOL_NOTE "mprof.symbol_note"
#define PPROF_COMMENT_UNATTRIBUTED_NOTE "mprof.unattributed_note"
