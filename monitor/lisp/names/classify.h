/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * classify.h -- what was allocated: type and category.
 *
 * `what' is the word that the runtime's hooks pass (ECL_ALLOCATED_... in
 * ecl/allocation_monitor.h): Lisp type, element type of an array, mode of a
 * stream, and whether it is plain memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

/* The categories of the paper (section 2, footnote on size breakdown). */
enum category {
  CATEGORY_CONS,
  CATEGORY_FLOAT,
  CATEGORY_STRUCT,
  CATEGORY_OTHER
};

/* Returns the category of a type; CATEGORY_OTHER if the type is unknown. */
enum category classify_category(uint32_t what);

/* Returns the Lisp type in upper case, as TYPE-OF would begin: "CONS",
 * "(SIMPLE-ARRAY DOUBLE-FLOAT)" whatever its rank, "(VECTOR T)" and "(ARRAY
 * T)" when it is not simple, "BASE-STRING", "STRING-STREAM"; "RAW-MEMORY" if
 * the type is unknown.  The string is static. */
const char *classify_type_name(uint32_t what);

/* Writes a NOTE_TYPE for each type.  The key is NOTE_TYPE_BITS of `what'; for
 * an array or stream that has the name of its bare type, it is that type. */
void classify_note_types(void);

/* Returns what the header of an object tells: its type; of an array the
 * element type too, and whether it is simple; of a stream its mode. */
static inline cl_index
classify_object(cl_object x)
{
  cl_index what = (cl_index)x->d.t;
  if (what == t_array || what == t_vector)
    what |= ECL_ALLOCATED_ELTTYPE((uint8_t)x->vector.elttype) |
            (x->vector.flags != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  else if (what == t_stream)
    what |= ECL_ALLOCATED_SMMODE((uint8_t)x->stream.mode);
  return what;
}

/* Returns true if `what' is plain memory for objects of a type, which adds
 * bytes to the type but no object.  (Plain memory of no type counts as an
 * object, RAW-MEMORY.) */
static inline bool
classify_is_memory_of_type(size_t what)
{
  return (what & ECL_ALLOCATED_RAW) != 0 && (what & 0xFF) != t_start;
}

/* Returns true if the hook is told of such an object of `bytes' once.  False
 * if a body may follow as an event of its own, as for a bare array header. */
bool classify_is_whole(size_t what, size_t bytes);
