/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attach.h -- the monitor in a program that runs already: see attach.c.
 */
#ifndef MPROF_ATTACH_H
#define MPROF_ATTACH_H

#include <stdbool.h>

/* Whether the library was loaded by the program, or by a debugger: then there
 * is nothing to do before mprof_attach is called. */
bool attach_is_awaited(void);

#endif
