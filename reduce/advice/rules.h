/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules, each in a file of its own. */

#ifndef MPROF_RULES_H
#define MPROF_RULES_H

#include "advice/rule.h"

extern const struct advice_rule rule_adjust_array;
extern const struct advice_rule rule_append;
extern const struct advice_rule rule_argument_list;
extern const struct advice_rule rule_bignum;
extern const struct advice_rule rule_bit_access;
extern const struct advice_rule rule_boxed_argument;
extern const struct advice_rule rule_boxed_element;
extern const struct advice_rule rule_boxed_integer;
extern const struct advice_rule rule_boxed_operand;
extern const struct advice_rule rule_boxed_slot;
extern const struct advice_rule rule_boxed_special;
extern const struct advice_rule rule_boxed_temporary;
extern const struct advice_rule rule_boxed_value;
extern const struct advice_rule rule_boxed_variable;
extern const struct advice_rule rule_closure;
extern const struct advice_rule rule_coerce;
extern const struct advice_rule rule_complement;
extern const struct advice_rule rule_concatenate;
extern const struct advice_rule rule_condition;
extern const struct advice_rule rule_copy;
extern const struct advice_rule rule_eval;
extern const struct advice_rule rule_float_function;
extern const struct advice_rule rule_format_column;
extern const struct advice_rule rule_format_control;
extern const struct advice_rule rule_format_directive;
extern const struct advice_rule rule_format_string;
extern const struct advice_rule rule_function_object;
extern const struct advice_rule rule_generic_float;
extern const struct advice_rule rule_gensym;
extern const struct advice_rule rule_hash_growth;
extern const struct advice_rule rule_hash_table;
extern const struct advice_rule rule_initargs;
extern const struct advice_rule rule_interpreted;
extern const struct advice_rule rule_open_file;
extern const struct advice_rule rule_pathnames;
extern const struct advice_rule rule_pretty_print;
extern const struct advice_rule rule_random_integer;
extern const struct advice_rule rule_random_state;
extern const struct advice_rule rule_ratio;
extern const struct advice_rule rule_read_from_string;
extern const struct advice_rule rule_read_line;
extern const struct advice_rule rule_reinitialize;
extern const struct advice_rule rule_remove;
extern const struct advice_rule rule_rest_list;
extern const struct advice_rule rule_reverse;
extern const struct advice_rule rule_scanner;
extern const struct advice_rule rule_sets;
extern const struct advice_rule rule_string_case;
extern const struct advice_rule rule_string_growth;
extern const struct advice_rule rule_string_stream;
extern const struct advice_rule rule_subseq;
extern const struct advice_rule rule_symbols;
extern const struct advice_rule rule_to_string;
extern const struct advice_rule rule_type_check;
extern const struct advice_rule rule_type_of;
extern const struct advice_rule rule_value_list;
extern const struct advice_rule rule_vector_growth;
extern const struct advice_rule rule_vector_list;
extern const struct advice_rule rule_wide_string;

#endif
