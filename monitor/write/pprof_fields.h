/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pprof_fields.h -- the format of a profile in numbers and words: the field
 * numbers of profile.proto, the columns of a sample, and the keys of labels
 * and comments.  What they mean is in mprof-data(5).
 */
#ifndef MPROF_PPROF_FIELDS_H
#define MPROF_PPROF_FIELDS_H

enum { /* of message Profile */
  PPROF_SAMPLE_TYPE = 1,
  PPROF_SAMPLE = 2,
  PPROF_MAPPING = 3,
  PPROF_LOCATION = 4,
  PPROF_FUNCTION = 5,
  PPROF_STRING = 6,
  PPROF_TIME = 9,
  PPROF_PERIOD_TYPE = 11,
  PPROF_PERIOD = 12,
  PPROF_COMMENT = 13,
  PPROF_DEFAULT_TYPE = 14
};

/* of the other messages */
enum { PPROF_VALUE_TYPE_NAME = 1, PPROF_VALUE_TYPE_UNIT = 2 };
enum {
  PPROF_SAMPLE_LOCATIONS = 1, PPROF_SAMPLE_VALUES = 2,
  PPROF_SAMPLE_LABEL = 3
};
enum {
  PPROF_LABEL_KEY = 1, PPROF_LABEL_TEXT = 2,
  PPROF_LABEL_NUMBER = 3, PPROF_LABEL_UNIT = 4
};
enum {
  PPROF_MAPPING_ID = 1, PPROF_MAPPING_START = 2, PPROF_MAPPING_END = 3,
  PPROF_MAPPING_OFFSET = 4, PPROF_MAPPING_FILE = 5,
  PPROF_MAPPING_BUILD_ID = 6
};
enum {
  PPROF_LOCATION_ID = 1, PPROF_LOCATION_MAPPING = 2,
  PPROF_LOCATION_ADDRESS = 3, PPROF_LOCATION_LINE = 4
};
enum { PPROF_LINE_FUNCTION = 1, PPROF_LINE_NUMBER = 2 };
enum {
  PPROF_FUNCTION_ID = 1, PPROF_FUNCTION_NAME = 2,
  PPROF_FUNCTION_SYSTEM_NAME = 3, PPROF_FUNCTION_FILE = 4,
  PPROF_FUNCTION_START_LINE = 5
};

/* The values of a sample, in their order.  A Lisp profile ends with the
 * calls. */
enum pprof_column {
  PPROF_COUNT,
  PPROF_BYTES,
  PPROF_KEPT_COUNT,
  PPROF_KEPT_BYTES,
  PPROF_CALLS,
  PPROF_PEAK_COUNT,
  PPROF_PEAK_BYTES,
  PPROF_TEMPORARY,
  PPROF_COLUMNS,
  PPROF_LISP_COLUMNS = PPROF_CALLS + 1
};

#define LABEL_TYPE "type"
#define LABEL_CLASS "class"
#define LABEL_CATEGORY "category"
#define LABEL_THREAD "thread"
#define LABEL_REGION "region"
#define LABEL_BYTES "bytes"

#define COMMENT_VERSION "mprof.version"
#define COMMENT_LANGUAGE "mprof.language"
#define COMMENT_PROGRAM "mprof.program"
#define COMMENT_ROOT "mprof.root"
#define COMMENT_ALLOCATIONS "mprof.allocations"
#define COMMENT_BYTES "mprof.bytes"
#define COMMENT_PEAK_BYTES "mprof.peak_bytes"
#define COMMENT_ROUNDED_BYTES "mprof.rounded_bytes"
#define COMMENT_COLLECTOR_BYTES "mprof.collector_bytes"
#define COMMENT_COLLECTOR_RECORD_BYTES "mprof.collector_record_bytes"
#define COMMENT_RESIDUAL_BYTES "mprof.residual_bytes"
#define COMMENT_RESIDUAL_NOTE "mprof.residual_note"
#define COMMENT_UNATTRIBUTED_ALLOCATIONS "mprof.unattributed_allocations"
#define COMMENT_UNATTRIBUTED_BYTES "mprof.unattributed_bytes"
#define COMMENT_UNATTRIBUTED_NOTE "mprof.unattributed_note"
#define COMMENT_TRUNCATED_WALKS "mprof.truncated_walks"
#define COMMENT_DIFFERING_WALKS "mprof.differing_walks"
#define COMMENT_CALLS_UNKNOWN "mprof.calls_unknown"
#define COMMENT_CHAIN_NOTE "mprof.chain_note"
#define COMMENT_CLASS_NOTE "mprof.class_note"
#define COMMENT_KEPT_NOTE "mprof.kept_note"
#define COMMENT_REGION "mprof.region"
#define COMMENT_STATED_CALLS "mprof.stated_calls"
#define COMMENT_CONTEXTS "mprof.contexts"
#define COMMENT_CONTEXT_BYTES "mprof.context_bytes"
#define COMMENT_THREADS "mprof.threads"

#endif
