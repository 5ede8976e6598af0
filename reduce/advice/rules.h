/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules, each in a file of its own. */

#ifndef MPROF_RULES_H
#define MPROF_RULES_H

#include "advice/rule.h"

extern const struct advice_rule rule_adjust_array, rule_append,
    rule_argument_list, rule_bignum, rule_bit_access, rule_boxed_float,
    rule_boxed_integer, rule_closure, rule_coerce, rule_complement,
    rule_concatenate, rule_condition, rule_copy, rule_eval,
    rule_float_function, rule_format_column, rule_format_control,
    rule_format_string, rule_function_object, rule_generic_float, rule_gensym,
    rule_hash_growth, rule_hash_table, rule_initargs, rule_interpreted,
    rule_open_file, rule_pathnames, rule_pretty_print, rule_random_integer,
    rule_random_state, rule_ratio, rule_read_from_string, rule_read_line,
    rule_reinitialize, rule_remove, rule_rest_list, rule_reverse,
    rule_scanner, rule_sets, rule_string_case, rule_string_growth,
    rule_string_stream, rule_subseq, rule_symbols, rule_to_string,
    rule_type_check, rule_type_of, rule_value_list, rule_vector_growth,
    rule_vector_list, rule_wide_string;

#endif
