/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Field numbers are those of pprof_format.h; the names are profile.proto's,
 * and stand in messages about damaged files.
 */

#include "pprof/schema.h"

#include "common/pprof_format.h"
#include "pprof/profile.h"

#define SCHEMA(text, bytes, table)                                           \
  {                                                                          \
    .name = text, .decoded_bytes = bytes,                                    \
    .field_count = sizeof table / sizeof table[0], .fields = table           \
  }

static const struct wire_field_schema value_type_fields[] = {
    [PPROF_VALUE_TYPE_NAME] = {"type", WIRE_NUMBER, NULL},
    [PPROF_VALUE_TYPE_UNIT] = {"unit", WIRE_NUMBER, NULL},
};
static const struct wire_schema value_type =
    SCHEMA("ValueType", sizeof(struct profile_value_type), value_type_fields);

static const struct wire_field_schema label_fields[] = {
    [PPROF_LABEL_KEY] = {"key", WIRE_NUMBER, NULL},
    [PPROF_LABEL_TEXT] = {"str", WIRE_NUMBER, NULL},
    [PPROF_LABEL_NUMBER] = {"num", WIRE_NUMBER, NULL},
    [PPROF_LABEL_UNIT] = {"num_unit", WIRE_NUMBER, NULL},
};
static const struct wire_schema label =
    SCHEMA("Label", LABEL_WORDS * sizeof(uint64_t), label_fields);

/* What nodes and labels take is counted when they are made. */
static const struct wire_field_schema sample_fields[] = {
    [PPROF_SAMPLE_LOCATIONS] = {"location_id", WIRE_NUMBERS, NULL},
    [PPROF_SAMPLE_VALUES] = {"value", WIRE_NUMBERS, NULL},
    [PPROF_SAMPLE_LABEL] = {"label", WIRE_MESSAGE, &label},
    [PPROF_SAMPLE_HIDDEN] = {"mprof_hidden", WIRE_NUMBERS, NULL},
};
static const struct wire_schema sample = {
    .name = "Sample",
    .decoded_bytes = sizeof(struct profile_sample),
    .piecewise = true,
    .field_count = sizeof sample_fields / sizeof sample_fields[0],
    .fields = sample_fields};

static const struct wire_field_schema mapping_fields[] = {
    [PPROF_MAPPING_ID] = {"id", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_START] = {"memory_start", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_END] = {"memory_limit", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_OFFSET] = {"file_offset", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_FILE] = {"filename", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_BUILD_ID] = {"build_id", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_HAS_FUNCTIONS] = {"has_functions", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_HAS_FILENAMES] = {"has_filenames", WIRE_NUMBER, NULL},
    [PPROF_MAPPING_HAS_LINE_NUMBERS] = {"has_line_numbers", WIRE_NUMBER,
                                        NULL},
    [PPROF_MAPPING_HAS_INLINE_FRAMES] = {"has_inline_frames", WIRE_NUMBER,
                                         NULL},
};
static const struct wire_schema mapping =
    SCHEMA("Mapping", sizeof(struct profile_mapping), mapping_fields);

static const struct wire_field_schema line_fields[] = {
    [PPROF_LINE_FUNCTION] = {"function_id", WIRE_NUMBER, NULL},
    [PPROF_LINE_NUMBER] = {"line", WIRE_NUMBER, NULL},
    [PPROF_LINE_COLUMN] = {"column", WIRE_NUMBER, NULL},
};
static const struct wire_schema line =
    SCHEMA("Line", sizeof(struct profile_line), line_fields);

static const struct wire_field_schema location_fields[] = {
    [PPROF_LOCATION_ID] = {"id", WIRE_NUMBER, NULL},
    [PPROF_LOCATION_MAPPING] = {"mapping_id", WIRE_NUMBER, NULL},
    [PPROF_LOCATION_ADDRESS] = {"address", WIRE_NUMBER, NULL},
    [PPROF_LOCATION_LINE] = {"line", WIRE_MESSAGE, &line},
    [PPROF_LOCATION_FOLDED] = {"is_folded", WIRE_NUMBER, NULL},
};
static const struct wire_schema location =
    SCHEMA("Location", sizeof(struct profile_location), location_fields);

static const struct wire_field_schema function_fields[] = {
    [PPROF_FUNCTION_ID] = {"id", WIRE_NUMBER, NULL},
    [PPROF_FUNCTION_NAME] = {"name", WIRE_NUMBER, NULL},
    [PPROF_FUNCTION_SYSTEM_NAME] = {"system_name", WIRE_NUMBER, NULL},
    [PPROF_FUNCTION_FILE] = {"filename", WIRE_NUMBER, NULL},
    [PPROF_FUNCTION_START_LINE] = {"start_line", WIRE_NUMBER, NULL},
};
static const struct wire_schema function =
    SCHEMA("Function", sizeof(struct profile_function), function_fields);

static const struct wire_field_schema profile_fields[] = {
    [PPROF_SAMPLE_TYPE] = {"sample_type", WIRE_MESSAGE, &value_type},
    [PPROF_SAMPLE] = {"sample", WIRE_MESSAGE, &sample},
    [PPROF_MAPPING] = {"mapping", WIRE_MESSAGE, &mapping},
    [PPROF_LOCATION] = {"location", WIRE_MESSAGE, &location},
    [PPROF_FUNCTION] = {"function", WIRE_MESSAGE, &function},
    [PPROF_STRING] = {"string_table", WIRE_STRING, NULL},
    [PPROF_DROP_FRAMES] = {"drop_frames", WIRE_NUMBER, NULL},
    [PPROF_KEEP_FRAMES] = {"keep_frames", WIRE_NUMBER, NULL},
    [PPROF_TIME] = {"time_nanos", WIRE_NUMBER, NULL},
    [PPROF_DURATION] = {"duration_nanos", WIRE_NUMBER, NULL},
    [PPROF_PERIOD_TYPE] = {"period_type", WIRE_MESSAGE, &value_type},
    [PPROF_PERIOD] = {"period", WIRE_NUMBER, NULL},
    [PPROF_COMMENT] = {"comment", WIRE_NUMBERS, NULL},
    [PPROF_DEFAULT_TYPE] = {"default_sample_type", WIRE_NUMBER, NULL},
    [PPROF_OWN_COMMENT] = {"mprof_comment", WIRE_NUMBERS, NULL},
};
const struct wire_schema pprof_profile_schema =
    SCHEMA("Profile", 0, profile_fields);
