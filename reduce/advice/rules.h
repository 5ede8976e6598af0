/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules, each in a file of its own. */

#ifndef MPROF_RULES_H
#define MPROF_RULES_H

#include "advice/rule.h"

extern const struct advice_rule rule_bignum, rule_bit_access,
    rule_boxed_float, rule_boxed_integer, rule_closure, rule_complement,
    rule_condition, rule_eval, rule_every, rule_float_function,
    rule_format_column, rule_format_control, rule_format_string,
    rule_function_object, rule_generic_float, rule_hash_growth, rule_initargs,
    rule_interpreted, rule_pretty_print, rule_random_integer,
    rule_random_state, rule_ratio, rule_reinitialize, rule_rest_list,
    rule_scanner, rule_string_stream, rule_type_check, rule_type_of,
    rule_value_list, rule_vector_growth, rule_vector_list;

#endif
