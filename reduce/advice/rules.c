/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All rules.  The first one that holds has the allocation, so those that ask
 * for more come first.  One without a name is a further condition of the rule
 * before it, and has the words of that.
 */

#include "advice/rules.h"

/* One a line. */
/* clang-format off */
const struct advice_rule *const advice_rules[] = {
    &rule_scanner,
    &rule_eval,
    &rule_condition,
    &rule_interpreted,
    &rule_generic_float,
    &rule_float_function,
    &rule_boxed_argument,
    &rule_boxed_value,
    &rule_boxed_slot,
    &rule_boxed_element,
    &rule_boxed_special,
    &rule_boxed_variable,
    &rule_boxed_operand,
    &rule_boxed_temporary,
    &rule_random_integer,
    &rule_bignum,
    &rule_boxed_integer,
    &rule_ratio,
    &rule_random_state,
    &rule_complement,
    &rule_type_of,
    &rule_rest_list,
    &rule_value_list,
    &rule_vector_list,
    &rule_closure,
    &rule_function_object,
    &rule_pretty_print,
    &rule_format_control,
    &rule_format_directive,
    &rule_format_column,
    &rule_format_string,
    &rule_string_stream,
    &rule_type_check,
    &rule_bit_access,
    &rule_reinitialize,
    &rule_to_string,
    &rule_gensym,
    &rule_initargs,
    &rule_hash_growth,
    &rule_vector_growth,
    &rule_string_growth,
    &rule_argument_list,
    &rule_append,
    &rule_concatenate,
    &rule_subseq,
    &rule_remove,
    &rule_copy,
    &rule_reverse,
    &rule_string_case,
    &rule_coerce,
    &rule_sets,
    &rule_read_from_string,
    &rule_symbols,
    &rule_pathnames,
    &rule_open_file,
    &rule_adjust_array,
    &rule_hash_table,
    &rule_read_line,
    &rule_wide_string,
    NULL,
};
/* clang-format on */
