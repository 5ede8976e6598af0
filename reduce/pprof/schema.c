/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages of the format.  Field numbers are those of pprof_format.h; the
 * names are profile.proto's, and stand in messages about damaged files.
 */

#include "pprof/reading.h"

#define FIELDS(...)                                                          \
  .fields = (const struct wire_field_schema[]){__VA_ARGS__},                 \
  .field_count = sizeof((const struct wire_field_schema[]){__VA_ARGS__}) /   \
                 sizeof(struct wire_field_schema)

const struct wire_schema value_type_schema = {
    "ValueType",
    FIELDS(
        [PPROF_VALUE_TYPE_NAME] = {"type", WIRE_TEXT, NULL},
        [PPROF_VALUE_TYPE_UNIT] = {"unit", WIRE_TEXT, NULL})};

const struct wire_schema label_schema = {
    "Label",
    FIELDS(
        [PPROF_LABEL_KEY] = {"key", WIRE_TEXT, NULL},
        [PPROF_LABEL_TEXT] = {"str", WIRE_TEXT, NULL},
        [PPROF_LABEL_NUMBER] = {"num", WIRE_NUMBER, NULL},
        [PPROF_LABEL_UNIT] = {"num_unit", WIRE_TEXT, NULL})};

static const struct wire_schema sample_schema = {
    "Sample",
    FIELDS(
        [PPROF_SAMPLE_LOCATIONS] = {"location_id", WIRE_NUMBERS, NULL},
        [PPROF_SAMPLE_VALUES] = {"value", WIRE_NUMBERS, NULL},
        [PPROF_SAMPLE_LABEL] = {"label", WIRE_MESSAGE, &label_schema},
        [PPROF_SAMPLE_HIDDEN] = {"mprof_hidden", WIRE_NUMBERS, NULL})};

const struct wire_schema mapping_schema = {
    "Mapping",
    FIELDS(
        [PPROF_MAPPING_ID] = {"id", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_START] = {"memory_start", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_END] = {"memory_limit", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_OFFSET] = {"file_offset", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_FILE] = {"filename", WIRE_TEXT, NULL},
        [PPROF_MAPPING_BUILD_ID] = {"build_id", WIRE_TEXT, NULL},
        [PPROF_MAPPING_HAS_FUNCTIONS] = {"has_functions", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_HAS_FILENAMES] = {"has_filenames", WIRE_NUMBER, NULL},
        [PPROF_MAPPING_HAS_LINE_NUMBERS] = {"has_line_numbers", WIRE_NUMBER,
                                            NULL},
        [PPROF_MAPPING_HAS_INLINE_FRAMES] = {"has_inline_frames", WIRE_NUMBER,
                                             NULL})};

const struct wire_schema line_schema = {
    "Line",
    FIELDS(
        [PPROF_LINE_FUNCTION] = {"function_id", WIRE_NUMBER, NULL},
        [PPROF_LINE_NUMBER] = {"line", WIRE_NUMBER, NULL},
        [PPROF_LINE_COLUMN] = {"column", WIRE_NUMBER, NULL})};

const struct wire_schema location_schema = {
    "Location",
    FIELDS(
        [PPROF_LOCATION_ID] = {"id", WIRE_NUMBER, NULL},
        [PPROF_LOCATION_MAPPING] = {"mapping_id", WIRE_NUMBER, NULL},
        [PPROF_LOCATION_ADDRESS] = {"address", WIRE_NUMBER, NULL},
        [PPROF_LOCATION_LINE] = {"line", WIRE_MESSAGE, &line_schema},
        [PPROF_LOCATION_FOLDED] = {"is_folded", WIRE_NUMBER, NULL})};

const struct wire_schema function_schema = {
    "Function",
    FIELDS(
        [PPROF_FUNCTION_ID] = {"id", WIRE_NUMBER, NULL},
        [PPROF_FUNCTION_NAME] = {"name", WIRE_TEXT, NULL},
        [PPROF_FUNCTION_SYSTEM_NAME] = {"system_name", WIRE_TEXT, NULL},
        [PPROF_FUNCTION_FILE] = {"filename", WIRE_TEXT, NULL},
        [PPROF_FUNCTION_START_LINE] = {"start_line", WIRE_NUMBER, NULL})};

const struct wire_schema profile_schema = {
    "Profile",
    FIELDS(
        [PPROF_SAMPLE_TYPE] = {"sample_type", WIRE_MESSAGE, &value_type_schema},
        [PPROF_SAMPLE] = {"sample", WIRE_MESSAGE, &sample_schema},
        [PPROF_MAPPING] = {"mapping", WIRE_MESSAGE, &mapping_schema},
        [PPROF_LOCATION] = {"location", WIRE_MESSAGE, &location_schema},
        [PPROF_FUNCTION] = {"function", WIRE_MESSAGE, &function_schema},
        [PPROF_STRING] = {"string_table", WIRE_STRING, NULL},
        [PPROF_DROP_FRAMES] = {"drop_frames", WIRE_TEXT, NULL},
        [PPROF_KEEP_FRAMES] = {"keep_frames", WIRE_TEXT, NULL},
        [PPROF_TIME] = {"time_nanos", WIRE_NUMBER, NULL},
        [PPROF_DURATION] = {"duration_nanos", WIRE_NUMBER, NULL},
        [PPROF_PERIOD_TYPE] = {"period_type", WIRE_MESSAGE, &value_type_schema},
        [PPROF_PERIOD] = {"period", WIRE_NUMBER, NULL},
        [PPROF_COMMENT] = {"comment", WIRE_NUMBERS, NULL},
        [PPROF_DEFAULT_TYPE] = {"default_sample_type", WIRE_TEXT, NULL},
        [PPROF_OWN_COMMENT] = {"mprof_comment", WIRE_NUMBERS, NULL})};
