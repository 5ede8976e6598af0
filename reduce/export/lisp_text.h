/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pieces of Lisp data that a reader with *read-eval* nil and *read-base* 10
 * reads: lists, keywords, strings, integers and nil, nothing else.  In
 * strings only the backslash and the double quote are escaped, by a
 * backslash.
 */

#ifndef MPROF_LISP_TEXT_H
#define MPROF_LISP_TEXT_H

#include "base/sink.h"
#include "pprof/profile.h"

void lisp_string(struct sink *sink, const char *text);

/* TEXT as a string, or nil when it is empty. */
void lisp_optional(struct sink *sink, const char *text);

/* ":category s :type s-or-nil :class s-or-nil" for the type INDEX of
 * PROFILE. */
void lisp_type(struct sink *sink, const struct profile *profile,
               uint32_t index);

#endif
