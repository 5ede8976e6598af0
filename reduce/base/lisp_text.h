/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Strings for a Lisp reader: only the backslash and the double quote are
 * escaped, by a backslash.
 */

#ifndef MPROF_LISP_TEXT_H
#define MPROF_LISP_TEXT_H

#include "base/sink.h"

void lisp_string(struct sink *sink, const char *text);

#endif
