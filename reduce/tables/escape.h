/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names on one line. */

#ifndef MPROF_ESCAPE_H
#define MPROF_ESCAPE_H

#include "base/sink.h"

/* Writes NAME so that it stays on one line: control characters, and the
 * characters that Unicode takes for the end of a line, become \n, \t, \r,
 * \xNN or \uNNNN.  Each character of EXTRA, and the backslash when EXTRA is
 * not empty, is written as \xNN or \\ too; so the result can be undone. */
void escape_name(struct sink *sink, const char *name, const char *extra);

#endif
