/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that the monitor of C programs cannot be preloaded into. */

#ifndef MPROF_UNMONITORED_H
#define MPROF_UNMONITORED_H

/* Why a program that was run by NAME takes no preloaded library, and what to
 * do then; NULL when nothing speaks against it. */
const char *unmonitored_reason(const char *name);

#endif
