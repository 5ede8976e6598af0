/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that show only to mprof.
 *
 * Of a chain of a Lisp program, what is hidden by default is in a field of
 * its own, PPROF_SAMPLE_HIDDEN, with its places in the chain: functions of
 * the runtime, and what is between the root and a profiled body.  So a file
 * looks in other programs as it looks here.  To part a chain and to put it
 * together are inverse.
 */

#pragma once

#include "base/array.h"
#include "pprof/profile.h"

/* Returns what of PROFILE is hidden: by location, for hidden_part. */
unsigned char *hidden_find(const struct profile *profile);

/* Parts CHAIN, ids of locations with the leaf first: those that show stay,
 * the others become HIDDEN, as the field has them.  A chain of which nothing
 * shows stays as if all did. */
void hidden_part(const unsigned char *parts, struct numbers *chain,
                 struct numbers *hidden);

/* Appends to WHOLE, which has room, what of a chain is SHOWN and HIDDEN.
 * Returns false if they do not fit. */
bool hidden_insert(const struct numbers *shown, const struct numbers *hidden,
                   struct numbers *whole);
