/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_fold.h -- which recursive calls of a context tree need no contexts
 * of their own.
 *
 * Model.  A context whose function is on the path already may be folded: it
 * then has a `target' elsewhere, an ancestor's sibling, and everything below
 * it goes there (Ammons, Ball and Larus, "Exploiting Hardware Performance
 * Counters with Flow and Context Sensitive Profiling", PLDI 1997, section 4:
 * a backedge in the calling context tree).  Theirs folds as soon as a
 * function repeats; ours only if the path in between has no function and no
 * caller-callee pair that the path above has not.  So a folded path has the
 * same set of functions and the same set of arcs as the real one, and
 * inclusive figures, which count each once a path, come out exact.  Depth is
 * bounded by the arcs of the program, not by its stack.
 *
 * A call at another line (SITE_PLACE) is folded like any other of its
 * function: what lines allocate themselves is exact, but of the lines on a
 * folded path some may be missing.  With `places' each counts as a function,
 * and inclusive figures of lines are exact, too, for more contexts.
 *
 * Reports leave out the runtime's own C functions, and then pair a function
 * with the nearest caller that is left.  These pairs are kept as well: they
 * count as arcs, and a hidden function is only folded onto one that has the
 * same nearest shown caller.
 *
 * Reports also tell in which phase something was allocated
 * (reduce/common/phase.h), by the functions of a path from the root on.  So
 * a context is only folded onto one with the same state of that machine; else
 * a path folded could be in another phase than the real one.
 *
 * Cost: the length of the path, once for each new context and leaf.  Nothing
 * is changed here: the tree asks, and makes the contexts itself.  All may run
 * inside the hook.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/phase.h"

struct context;

/* Returns the phase state below `function', called from `parent'. */
enum phase_state context_fold_state(const struct context *contexts,
                                    uint32_t parent, uint32_t function);

/* Returns where a call at `site' in `function' from `parent' folds to: the
 * parent of the ancestor on the path whose place it takes; CONTEXT_OVERFLOW
 * if it is not folded.  `state' is that of context_fold_state, `places' is
 * explained above.  Sets *new_arc to true if the path lacks a call from that
 * caller, or from its nearest shown caller, to that function, else to false.
 * With new_arc NULL the search ends where nothing can be folded any more. */
uint32_t context_fold_parent(const struct context *contexts, uint32_t parent,
                             uint64_t site, uint32_t function,
                             enum phase_state state, bool places,
                             bool *new_arc);

/* Returns the caller, on the folded path, of a `function' that allocates at
 * `site' and was called from `up': `up' itself if nothing is folded. */
uint32_t context_fold_caller(const struct context *contexts, uint32_t up,
                             uint64_t site, uint32_t function, bool places);
