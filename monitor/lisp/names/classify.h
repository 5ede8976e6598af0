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

enum category classify_category(uint32_t what);

/* Returns the Lisp type in upper case, as TYPE-OF would begin: "CONS",
 * "(SIMPLE-ARRAY DOUBLE-FLOAT)" whatever its rank, "(VECTOR T)" and "(ARRAY
 * T)" when it is not simple, "BASE-STRING", "STRING-STREAM".  A string that
 * lives for ever. */
const char *classify_type_name(uint32_t what);

/* Note for images the names of all types, by NOTE_TYPE_BITS of `what', and of
 * arrays and streams by type alone where others are called the same. */
void classify_note_types(void);

/* Returns what an array is beside its type, as its header tells. */
static inline cl_index
classify_array(cl_object array)
{
  const bool simple =
      (array->vector.flags &
       (ECL_FLAG_ADJUSTABLE | ECL_FLAG_HAS_FILL_POINTER)) == 0;
  return ECL_ALLOCATED_ELTTYPE(array->vector.elttype) |
         (simple ? 0 : ECL_ALLOCATED_NOT_SIMPLE);
}

/* Returns whether it is plain memory for objects of a type: bytes of that
 * type, but no object.  (Plain memory of no type counts as an object,
 * RAW-MEMORY.) */
static inline bool
classify_is_memory_of_type(size_t what)
{
  return (what & ECL_ALLOCATED_RAW) != 0 && (what & 0xFF) != t_start;
}

/* Returns whether the runtime announces such an object by this one event.
 * Objects of other types, and arrays that are but a header, may have bodies,
 * which come as events of their own. */
bool classify_is_whole(size_t what, size_t bytes);
