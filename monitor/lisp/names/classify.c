/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * classify.c -- one table from cl_type to name and category, one from
 * cl_elttype to the names of arrays, one from ecl_smmode to that of a stream.
 */
#include "lisp/names/classify.h"

#include "image/image.h"

struct type_row {
  const char *name;
  enum category category;
  size_t whole; /* objects of so many bytes or more have no separate body; 0:
                   any may have one */
};

static const struct type_row types[t_end] = {
  [t_list] = {"CONS", CATEGORY_CONS, 1},
  [t_bignum] = {"BIGNUM", CATEGORY_OTHER, 1},
  [t_ratio] = {"RATIO", CATEGORY_OTHER, 1},
  [t_singlefloat] = {"SINGLE-FLOAT", CATEGORY_FLOAT, 1},
  [t_doublefloat] = {"DOUBLE-FLOAT", CATEGORY_FLOAT, 1},
  [t_longfloat] = {"LONG-FLOAT", CATEGORY_FLOAT, 1},
  [t_complex] = {"COMPLEX", CATEGORY_OTHER, 1},
  [t_csfloat] = {"(COMPLEX SINGLE-FLOAT)", CATEGORY_FLOAT, 1},
  [t_cdfloat] = {"(COMPLEX DOUBLE-FLOAT)", CATEGORY_FLOAT, 1},
  [t_clfloat] = {"(COMPLEX LONG-FLOAT)", CATEGORY_FLOAT, 1},
  [t_symbol] = {"SYMBOL", CATEGORY_OTHER, 1},
  [t_package] = {"PACKAGE", CATEGORY_OTHER},
  [t_hashtable] = {"HASH-TABLE", CATEGORY_OTHER},
  [t_array] = {"(ARRAY *)", CATEGORY_STRUCT},
  [t_vector] = {"(ARRAY *)", CATEGORY_STRUCT, sizeof(struct ecl_vector) + 1},
  [t_string] = {"STRING", CATEGORY_STRUCT, sizeof(struct ecl_string) + 1},
  [t_base_string] = {"BASE-STRING", CATEGORY_STRUCT,
                     sizeof(struct ecl_base_string) + 1},
  [t_bitvector] = {"BIT-VECTOR", CATEGORY_STRUCT,
                   sizeof(struct ecl_vector) + 1},
  [t_stream] = {"STREAM", CATEGORY_OTHER},
  [t_random] = {"RANDOM-STATE", CATEGORY_OTHER},
  [t_readtable] = {"READTABLE", CATEGORY_OTHER},
  [t_pathname] = {"PATHNAME", CATEGORY_OTHER},
  [t_bytecodes] = {"BYTECODES", CATEGORY_OTHER},
  [t_bclosure] = {"CLOSURE", CATEGORY_OTHER, 1},
  [t_cfun] = {"COMPILED-FUNCTION", CATEGORY_OTHER, 1},
  [t_cfunfixed] = {"COMPILED-FUNCTION", CATEGORY_OTHER, 1},
  [t_cclosure] = {"CLOSURE", CATEGORY_OTHER, 1},
  [t_instance] = {"INSTANCE", CATEGORY_STRUCT},
  [t_process] = {"PROCESS", CATEGORY_OTHER},
  [t_lock] = {"LOCK", CATEGORY_OTHER},
  [t_rwlock] = {"RWLOCK", CATEGORY_OTHER},
  [t_condition_variable] = {"CONDITION-VARIABLE", CATEGORY_OTHER},
  [t_semaphore] = {"SEMAPHORE", CATEGORY_OTHER},
  [t_barrier] = {"BARRIER", CATEGORY_OTHER},
  [t_mailbox] = {"MAILBOX", CATEGORY_OTHER},
  [t_codeblock] = {"CODEBLOCK", CATEGORY_OTHER},
  [t_foreign] = {"FOREIGN-DATA", CATEGORY_OTHER},
  [t_frame] = {"STACK-FRAME", CATEGORY_OTHER},
  [t_weak_pointer] = {"WEAK-POINTER", CATEGORY_OTHER},
};

/* Every array by its element type: simple, or else a vector or a matrix. */
#define ARRAY_ROW(element)                                                   \
  {                                                                          \
    "(SIMPLE-ARRAY " element ")", "(VECTOR " element ")",                     \
        "(ARRAY " element ")"                                                \
  }

static const struct array_row {
  const char *simple, *vector, *matrix;
} arrays[ecl_aet_last_type + 1] = {
  [ecl_aet_object] = ARRAY_ROW("T"),
  [ecl_aet_sf] = ARRAY_ROW("SINGLE-FLOAT"),
  [ecl_aet_df] = ARRAY_ROW("DOUBLE-FLOAT"),
  [ecl_aet_lf] = ARRAY_ROW("LONG-FLOAT"),
  [ecl_aet_csf] = ARRAY_ROW("(COMPLEX SINGLE-FLOAT)"),
  [ecl_aet_cdf] = ARRAY_ROW("(COMPLEX DOUBLE-FLOAT)"),
  [ecl_aet_clf] = ARRAY_ROW("(COMPLEX LONG-FLOAT)"),
  [ecl_aet_bit] = ARRAY_ROW("BIT"),
  [ecl_aet_fix] = ARRAY_ROW("EXT:CL-FIXNUM"),
  [ecl_aet_index] = ARRAY_ROW("EXT:CL-INDEX"),
  [ecl_aet_b8] = ARRAY_ROW("(UNSIGNED-BYTE 8)"),
  [ecl_aet_i8] = ARRAY_ROW("(SIGNED-BYTE 8)"),
  [ecl_aet_b16] = ARRAY_ROW("(UNSIGNED-BYTE 16)"),
  [ecl_aet_i16] = ARRAY_ROW("(SIGNED-BYTE 16)"),
  [ecl_aet_b32] = ARRAY_ROW("(UNSIGNED-BYTE 32)"),
  [ecl_aet_i32] = ARRAY_ROW("(SIGNED-BYTE 32)"),
  [ecl_aet_b64] = ARRAY_ROW("(UNSIGNED-BYTE 64)"),
  [ecl_aet_i64] = ARRAY_ROW("(SIGNED-BYTE 64)"),
  [ecl_aet_ch] = ARRAY_ROW("CHARACTER"),
  [ecl_aet_bc] = ARRAY_ROW("BASE-CHAR"),
};

static const char *const streams[] = { /* NULL: of a file */
  [ecl_smm_synonym] = "SYNONYM-STREAM",
  [ecl_smm_broadcast] = "BROADCAST-STREAM",
  [ecl_smm_concatenated] = "CONCATENATED-STREAM",
  [ecl_smm_two_way] = "TWO-WAY-STREAM",
  [ecl_smm_echo] = "ECHO-STREAM",
  [ecl_smm_string_input] = "STRING-STREAM",
  [ecl_smm_string_output] = "STRING-STREAM",
  [ecl_smm_sequence_input] = "SEQUENCE-STREAM",
  [ecl_smm_sequence_output] = "SEQUENCE-STREAM",
};

static const char *
array_name(uint32_t what, uint32_t element)
{
  const struct array_row *row = &arrays[element];
  if ((what & ECL_ALLOCATED_NOT_SIMPLE) == 0)
    return row->simple;
  return (what & 0xFF) == t_array ? row->matrix : row->vector;
}

enum category
classify_category(uint32_t what)
{
  uint32_t type = what & 0xFF;
  if (type >= t_end || types[type].name == NULL)
    return CATEGORY_OTHER;
  return types[type].category;
}

const char *
classify_type_name(uint32_t what)
{
  uint32_t type = what & 0xFF, kind = (what >> 8) & 0xFF;
  if (type >= t_end || types[type].name == NULL)
    return "RAW-MEMORY";
  if (kind == 0)
    return types[type].name;
  kind--;
  if ((type == t_array || type == t_vector) && kind <= ecl_aet_last_type)
    return array_name(what, kind);
  if (type == t_stream && kind < sizeof streams / sizeof *streams)
    return streams[kind] != NULL ? streams[kind] : "FILE-STREAM";
  return types[type].name;
}

bool
classify_is_whole(size_t what, size_t bytes)
{
  const size_t type = what & 0xFF;
  if ((what & ECL_ALLOCATED_RAW) != 0 || type >= t_end)
    return false;
  return type == t_instance
             ? (what & ECL_ALLOCATED_SPLIT) != 0
             : types[type].whole != 0 && bytes >= types[type].whole;
}

/* ---- for images ---- */

_Static_assert(NOTE_TYPE_BITS(0xFFFF | ECL_ALLOCATED_NOT_SIMPLE) ==
                   (0xFFFF | ECL_ALLOCATED_NOT_SIMPLE),
               "what names of types depend on");
_Static_assert((int)t_end <= (int)NOTE_TYPE_ALONE, "a type");

static void
note_type(uint32_t what)
{
  image_note(NOTE_TYPE, NOTE_TYPE_BITS(what),
             classify_category(what) |
                 (what == t_instance ? NOTE_HAS_CLASS : 0u),
             0, classify_type_name(what));
}

void
classify_note_types(void)
{
  for (uint32_t type = 0; type <= t_end; type++)
    for (uint32_t kind = 0; kind <= 0xFF; kind++) {
      const uint32_t what = type | kind << 8;
      if (kind == 0 || classify_type_name(what) != classify_type_name(type))
        note_type(what);
      if (classify_type_name(what | ECL_ALLOCATED_NOT_SIMPLE) !=
          classify_type_name(what))
        note_type(what | ECL_ALLOCATED_NOT_SIMPLE);
    }
}
