/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules, each in a file of its own. */

#ifndef MPROF_RULES_H
#define MPROF_RULES_H

#include "advice/rule.h"

extern const struct advice_rule rule_adjust_array, rule_append,
    rule_argument_list, rule_boxed_float, rule_closure, rule_coerce,
    rule_concatenate, rule_copy, rule_format_control, rule_format_string,
    rule_function_object, rule_generic_float, rule_gensym, rule_hash_growth,
    rule_hash_table, rule_initargs, rule_open_file, rule_pathnames,
    rule_read_from_string, rule_read_line, rule_remove, rule_rest_list,
    rule_reverse, rule_scanner, rule_sets, rule_string_case,
    rule_string_growth, rule_string_stream, rule_subseq, rule_symbols,
    rule_to_string, rule_vector_growth, rule_wide_string;

#endif
