/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a function is called under --by: the name of the group that it
 * belongs to, from its name and its place alone.
 *
 *   line     the function and its place, "F app.lisp:12"
 *   file     the source file, or [no file]
 *   package  Lisp: the package of the symbol that names the function or what
 *            it is local to, of the class when a method of ECL's own generic
 *            functions is specialised on one of another package, or [no
 *            package].  C++: the first part of a qualified name; Go: the
 *            package; else [C]
 *   class    Lisp: (CLASS C) for methods, and what is local to them, C being
 *            the first class but T that they are specialised on.  C++ and
 *            Go: what stands before the member's name.  Functions that belong
 *            to no class go by their own names
 *
 * What stands in brackets, such as [signal handler], is no function and keeps
 * its name.  Of C++ the name alone tells, so that a namespace may pass for a
 * class, and a class without a namespace for one.
 */

#ifndef MPROF_GROUP_NAMES_H
#define MPROF_GROUP_NAMES_H

#include "base/sink.h"
#include "pprof/profile.h"

/* What stands for a function in tables and exports. */
enum granularity { BY_FUNCTION, BY_LINE, BY_FILE, BY_PACKAGE, BY_CLASS };

/* A function, or a place in it. */
struct group_source {
  const char *name;
  const char *file; /* "" when not known */
  int64_t line;     /* 0 when not known */
  bool runtime;     /* a C function of the runtime */
};

/* Writes the name of SOURCE's group to SINK. */
void group_name_write(enum granularity by, enum language language,
                      const struct group_source *source, struct sink *sink);

#endif
