/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The comments of a profile that is exported. */

#ifndef MPROF_EXPORT_COMMENTS_H
#define MPROF_EXPORT_COMMENTS_H

#include "analysis/reduction.h"

/* Adds the comment "KEY=VALUE" to MADE. */
void export_comment(struct profile *made, const char *key, const char *value);

/* Adds to MADE each comment of REDUCTION's profile once, then the facts.  It
 * leaves out those that speak of more than what is exported: the collector's
 * figures when samples are left out, and the root of profiled bodies when what
 * it cuts off is gone. */
void export_comments(const struct reduction *reduction, struct profile *made);

#endif
