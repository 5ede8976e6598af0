/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_holders.h -- what holds the live objects as samples of a profile: a
 * chain of holders, the innermost first, where others have one of calls.
 */
#ifndef MPROF_LISP_HOLDERS_H
#define MPROF_LISP_HOLDERS_H

#include "holders/holders.h"
#include "write/pprof_stream.h"

/* Samples, and the locations that only they have. */
void lisp_holders_put(struct pprof_stream *stream,
                        const struct holders *holders);

#endif
