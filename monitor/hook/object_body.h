/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_body.h -- objects whose header and body are told of one by one.
 *
 * Inside the hook.
 */
#ifndef MPROF_OBJECT_BODY_H
#define MPROF_OBJECT_BODY_H

#include "hook/thread_state.h"

/* An object was counted that may have a body. */
void object_body_header(struct thread_state *t, const void *object,
                        struct leaf *leaf, cl_index bytes);

/* The hook for bodies: `memory' of `bytes' was allocated for `owner'. */
void object_body(struct ecl_allocation_hooks *self, void *frame,
                 cl_object owner, cl_index bytes, void *memory);

#endif
