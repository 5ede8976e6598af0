/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The formats of mprof export that are not made of tables, as
 * mprof-formats(5) describes them: each writes all of VIEW to SINK, in
 * one order that does not change from run to run.
 */

#pragma once

#include "analysis/view.h"
#include "base/sink.h"
#include "common/pprof_format.h"

struct writer;

void export_callgrind(const struct view *view, struct sink *sink);
void export_dot(const struct view *view, struct sink *sink);
void export_folded(const struct view *view, struct sink *sink);

/* Writes a heap profile with the four columns of Go's, in its order: no other
 * column, no label, no comment.  If VIEW has a base, it is
 * the difference, whose values may be negative. */
void export_heap(const struct view *view, struct sink *sink);

void export_html(const struct view *view, struct sink *sink);
void export_pprof(const struct view *view, struct sink *sink);
void export_speedscope(const struct view *view, struct sink *sink);
void export_suppressions(const struct view *view, struct sink *sink);

/* Writes the lists "lines", of the items of the tree of the view by line, and
 * "sources", of the text near these in their files, as a part of the page.
 * Both are empty without such a view, and "sources" is with --no-source.  A
 * file that cannot be read is left out. */
void page_write_lines(struct writer *out);

/* Returns the name of the program that ran; UNKNOWN if the profile does not
 * say it. */
static inline const char *
program_name(const struct view *view, const char *unknown)
{
  const char *name = profile_comment(view->profile, PPROF_COMMENT_PROGRAM);
  return name == NULL || *name == '\0' ? unknown : name;
}
