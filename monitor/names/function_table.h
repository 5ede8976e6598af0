/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_table.h -- functions by number: names that outlive the code.
 *
 * Numbers begin with 1 and are given in order; 0 is `not known'.  From
 * FUNCTION_OBJECT_BASE on they are those of kept_objects.h.
 */
#ifndef MPROF_FUNCTION_TABLE_H
#define MPROF_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_index.h"

enum { FUNCTION_OBJECT_BASE = 1 << 24 };

/* The function with a number that was given out; for 0, one without a name.
 * Its address is its own for good.  Inside the hook. */
struct code_function *function_table_at(uint32_t number);

/* The number of the function with these names (copied; `file' may be NULL); a
 * new one when there is none.  0 when memory ran out.  Under the monitor's
 * lock, not inside the hook. */
uint32_t function_table_intern(const char *name, const char *system_name,
                               const char *file, int file_position,
                               bool runtime);

#endif
