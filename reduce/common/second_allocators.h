/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the names of functions begin with of an allocator that a program has
 * beside malloc: PREFIXmalloc, PREFIXfree, ...  Those of jemalloc (also in
 * Rust), mimalloc, TBB, tcmalloc, snmalloc and rpmalloc.
 */

#pragma once

#define SECOND_ALLOCATORS                                                    \
  "je_", "_rjem_", "jemalloc_", "mi_", "scalable_", "tc_", "sn_", "rp"
