/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules, each in a file of its own. */

#ifndef MPROF_RULES_H
#define MPROF_RULES_H

#include "advice/rule.h"

extern const struct advice_rule rule_bit_access, rule_boxed_float,
    rule_closure, rule_condition, rule_every, rule_format_column,
    rule_format_control, rule_format_string, rule_function_object,
    rule_generic_float, rule_hash_growth, rule_initargs, rule_pretty_print,
    rule_rest_list, rule_scanner, rule_string_stream, rule_type_check,
    rule_vector_growth;

#endif
