/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * unloaded_code.h -- code of a C program that goes away, so that its call
 * sites are retired before its addresses are used again.
 *
 * Model.  Which code was loaded at the last check is compared with what is
 * loaded now.  Libraries come and go by dlopen and dlclose, and also without:
 * the C library unloads modules of its own (iconv, locales).  But the dynamic
 * linker allocates after it has unloaded one and before it maps another, and
 * once more when that is in its list.  So a check at each of its allocations
 * misses none; none of them is a known path.
 *
 * Takes the linker's lock, and then the monitor's: this thread has not got
 * that.  Runs inside the hook. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns whether `ip' is in the dynamic linker. */
bool unloaded_code_is_linker(uintptr_t ip);

/* Retire the sites in what is loaded no more. */
void unloaded_code_check(void);

/* Opens, in the child of a fork, what another thread had locked. */
void unloaded_code_forked(void);
