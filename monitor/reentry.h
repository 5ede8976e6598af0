/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reentry.h -- which functions of a module may be entered again by a jump.
 *
 * Not inside the hook.
 */
#ifndef MPROF_REENTRY_H
#define MPROF_REENTRY_H

#include "code/code_entries.h"
#include "code/module_symbols.h"

/* Set `reentered' of all entries of `m' in whose code setjmp, or another
 * function that returns twice, may be called.  `module' is the same one, as
 * the dynamic linker has it. */
void reentry_find(struct code_module *m, const struct module *module);

#endif
