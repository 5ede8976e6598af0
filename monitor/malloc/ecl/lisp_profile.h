/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.h -- what is written of the objects of ECL: labels and
 * comments, as write/lisp_profile.c writes them.
 */
#ifndef MPROF_MALLOC_LISP_PROFILE_H
#define MPROF_MALLOC_LISP_PROFILE_H

#include "tree/context_tree.h"
#include "write/pprof_stream.h"

void lisp_profile_labels(struct pprof_stream *p, const struct kind *kind);
void lisp_profile_comments(struct pprof_stream *p,
                           const struct context_tree *tree);

#endif
