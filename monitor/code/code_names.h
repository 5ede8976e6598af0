/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_names.h -- the Lisp names of the functions in a shared object.
 *
 * Under the monitor's lock, not inside the hook.
 */
#ifndef MPROF_CODE_NAMES_H
#define MPROF_CODE_NAMES_H

#include <stddef.h>

#include "code/code_entries.h"
#include "code/module_symbols.h"

/* How many tables of Lisp names there are of this module's code.  Each file
 * that was joined into it has one, and registers it when it is
 * initialized. */
size_t code_names_tables(const struct module *module);

/* Name the functions that those tables name. */
void code_names_compiled(struct code_module *m);

/* Core functions written in C: the symbols' own function objects. */
void code_names_core(struct code_module *m);

/* Remember the module for code_index_other_flags if most of its Lisp
 * functions keep no frame pointer.  ECL's own flags keep one, so these were
 * compiled with others, and what else ECL's flags see to cannot be relied
 * on. */
void code_names_note_flags(const struct code_module *m, const char *name);

#endif
