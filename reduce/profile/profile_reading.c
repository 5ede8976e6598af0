/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The offset of a fault is looked for only when there is one. */

#include "profile/profile_reading.h"

#include "profile/wire_scan.h"

#include <stdarg.h>
#include <stdio.h>

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
reading_string(const struct reading *reading, int64_t index, uint32_t *name)
{
  if (index < 0 || (uint64_t)index >= reading->message->n_string_table)
    return false;
  *name = reading->strings[index];
  return true;
}
