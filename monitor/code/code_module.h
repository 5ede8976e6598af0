/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_module.h -- learn where the functions of one shared object begin.
 *
 * Under the monitor's lock, not inside the hook.
 */
#ifndef MPROF_CODE_MODULE_H
#define MPROF_CODE_MODULE_H

#include "code/code_entries.h"
#include "code/module_symbols.h"

/* Read all that there is to know of a shared object; NULL when memory ran
 * out.  Milliseconds for a large one. */
struct code_module *code_module_new(const struct module *module);
void code_module_free(struct code_module *m);

#endif
