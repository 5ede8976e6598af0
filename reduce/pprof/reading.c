/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The offset of a fault is looked for only when there is one. */

#include "pprof/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
reading_fault(struct reading *reading, uint32_t field, size_t index,
              const char *format, ...)
{
  size_t offset =
      wire_find(reading->file.data, reading->file.length, field, index);
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  return mprof_error_set(reading->error, MPROF_BAD_PROFILE, (int64_t)offset,
                         "cannot read '%s': %s (offset %zu of the %s)",
                         reading->path, reason, offset,
                         reading->file.compressed ? "inflated data" : "file");
}

bool
reading_string(const struct reading *reading, uint64_t index, uint32_t *name)
{
  if (index >= reading->string_count)
    return false;
  *name = reading->strings[index];
  return true;
}

void
reading_numbers(const uint8_t *data, size_t size, uint64_t *values,
                size_t count)
{
  struct wire_field field;
  memset(values, 0, count * sizeof *values);
  for (size_t at = 0; at < size;) {
    wire_read_field(data, &at, &field);
    if (field.bytes == NULL && field.number < count)
      values[field.number] = field.value;
  }
}
