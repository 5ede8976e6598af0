/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which samples count, and which frames show.
 *
 * Regular expressions are POSIX extended ones and match any part of a
 * function's name or of its file's name, as in pprof.  focus keeps the
 * samples with a matching frame on their chain, ignore drops those with one;
 * hide takes frames out of the chains, and what they allocated goes to the
 * nearest caller that shows; show takes out all but those that match;
 * show_from lets each chain begin at the first frame that shows and matches,
 * and drops chains without one.  Runtime functions are hidden in that same
 * way unless they are asked for; ECL's own Lisp functions when that is asked
 * for.  phase, thread and region keep the samples of some phases, threads and
 * regions (each with those in it) alone, type and category those for objects
 * of some types, samples those that somebody else has chosen.
 *
 * focus, type, category and samples speak of allocations: calls are counted
 * for the functions and arcs that are left, whatever was allocated below
 * them.  A call has the phase in which the function that was called runs.
 *
 * Where chains begin: a profile may name the function that runs a profiled
 * body (comment mprof.root).  That function and all that is rootward of it,
 * the read-eval-print loop and the profiler, is the same for every chain and
 * tells nothing, so it is no part of a chain unless it is asked for, neither
 * for showing nor for matching:
 *
 *   chain, root first:  TOP-LEVEL  EVAL  ROOT  F  EVAL  ROOT  G
 *                       [ cut off          ]  [ stays          ]
 *
 * The rootmost occurrence counts, so that profiling within a profiled body,
 * and recursion into it, stay visible.  A chain without the function, such as
 * that of another thread, stays whole.  Calls on the way to the function
 * count for nothing, unless something was allocated there outside of profiled
 * bodies.
 *
 * All that can be said of a chain is found once for each node of the tree, on
 * one way from the root.
 */

#pragma once

#include "analysis/figures.h"
#include "analysis/frames.h"
#include "base/names.h"
#include "base/pool.h"

/* The regular expressions: on functions, and on what else has names. */
enum expression {
  EXPRESSION_FOCUS,
  EXPRESSION_IGNORE,
  EXPRESSION_HIDE,
  EXPRESSION_SHOW,
  EXPRESSION_SHOW_FROM,
  EXPRESSIONS_ON_FUNCTIONS,
  EXPRESSION_THREAD = EXPRESSIONS_ON_FUNCTIONS,
  EXPRESSION_REGION, /* on its path, or that of a region around it */
  EXPRESSION_LABEL,  /* KEY=VALUE: on one of the names of that path */
  EXPRESSION_TYPE,   /* on its name, or that of its class */
  EXPRESSION_COUNT
};

/* Returns the option for EXPRESSION, such as "show-from". */
const char *expression_option(enum expression expression);

/* Choices of functions that show besides the program's. */
enum system_choice {
  SYSTEM_LISP,   /* ECL's Lisp functions */
  SYSTEM_HIDDEN, /* none */
  SYSTEM_ROOT,   /* ECL's Lisp functions, and what called the profiled body */
  SYSTEM_SHOWN   /* these, and the runtime's */
};

/* The options of a selection. */
struct selection_options {
  const char *expressions[EXPRESSION_COUNT]; /* NULL: not given */
  const char *categories;  /* names or letters, with commas, NULL: all */
  const uint64_t *samples; /* numbers of those that count, NULL: all */
  size_t sample_count;
  uint64_t phases;   /* bit i: enum phase i; 0: all */
  uint64_t from, to; /* nanoseconds: slices of time that start then, or later
                        and before that; 0 and 0: all */
  uint64_t at; /* nanoseconds: only what was in use at the end of the slice
                  of time that has it; 0: not given */
  enum system_choice system;
  const bool *suppressed; /* by node: nothing was kept there; NULL: none is */
  enum measure counted;   /* what stands for bytes and allocations: those of
                             this measure; MEASURE_BYTES: as they are */
};

/* Bits that are set for a chain. */
enum chain_flag {
  CHAIN_BELOW_ROOT = 1,    /* the function that runs a body is on it */
  CHAIN_FOCUS = 2,         /* a frame matches --focus, if it is given */
  CHAIN_IGNORE = 4,        /* ... --ignore */
  CHAIN_BEGUN = 8,         /* ... --show-from, if it is given */
  CHAIN_PROGRAM = 16,      /* a frame is not of the runtime */
  CHAIN_LEAF_NAMED = 32,   /* the last frame but hidden runtime ones has a
                              name, ... */
  CHAIN_LEAF_KNOWN = 64,   /* ... and there is such a frame */
  CHAIN_HAS_NAMELESS = 128 /* some frame has no name */
};

/* The state of a walk of frames from the root to the leaf of a chain. */
struct chain_walk {
  unsigned char flags; /* of the frames so far: enum chain_flag */
  unsigned char state; /* enum phase_state */
};

struct selection {
  const struct profile *profile;
  const struct frame_table *frames;
  struct selection_options options;
  struct function_choice *functions;
  bool has_root;                   /* some function runs a profiled body */
  bool *matches[EXPRESSION_COUNT]; /* by function or other item: it matches;
                                      NULL: not given */
  bool categories[CATEGORY_COUNT]; /* those chosen, if options.categories is
                                      given */
  struct chain_walk *walks; /* by node: the state at the end of its chain */
  unsigned char *kept;      /* by sample: enum kept */
  bool cuts;           /* callers of the profiled body are cut off chains */
  bool by_allocations; /* functions show for what they allocate, not called */
  bool counts_calls;   /* calls of what is chosen are known */
  bool narrowed;       /* some sample that allocates is left out */
  unsigned unmatched;  /* bit i: enum expression i matches nothing */
  struct figures total; /* of the samples kept */
  uint64_t calls; /* counted calls of all functions, hidden ones too, that led
                     to chosen allocations; of C programs these allocations */
  uint64_t nameless_leaf_bytes;  /* bytes of leaves without a name; these two
                                    are of all samples, kept or not */
  uint64_t nameless_chain_bytes; /* bytes with such a frame on their chain */
};

/* Matches OPTIONS with the names in PROFILE and its FRAMES, which must
 * outlive SELECTION; then frames can be grouped.  Fails with MPROF_USAGE if
 * an expression, a category or the number of a sample is wrong. */
void selection_match(struct selection *selection,
                     const struct profile *profile,
                     const struct frame_table *frames,
                     const struct selection_options *options);

/* Finds which samples and calls count; after that, nothing changes SELECTION.
 * No calls count if frames grouped BY that have none. */
void selection_judge(struct selection *selection, enum granularity by);

/* Sets the number of calls of SELECTION.  Calls outside of profiled bodies
 * that are on the way to one stop counting.  Called by selection_judge. */
void selection_count_calls(struct selection *selection);

/* Returns whether OPTIONS choose by time. */
bool selection_is_of_time(const struct selection_options *options);

/* Returns whether the options choose samples, and none of them counts. */
bool selection_is_empty(const struct selection *selection);

/* Fails, and says which option matches nothing, and which name is near. */
_Noreturn void selection_fail_empty(const struct selection *selection);

/* Returns the end of a message, where nothing matches EXPRESSION, which must
 * be given: a hint at the name nearest to its value, or "". */
const char *selection_nearest(const struct selection *selection,
                              enum expression expression);

/* Sets COUNT to the figures of sample I.  If options.counted is another
 * measure, its bytes and objects stand for those allocated, and all others
 * are 0.  Of a suppressed chain nothing is kept or lost. */
void selection_count(const struct selection *selection, size_t i,
                     struct sample_count *count);

/* Bits of `kept': the parts of a sample that count. */
enum kept {
  KEPT_ALLOCATIONS = 1, /* its figures, which are not all 0 */
  KEPT_CALLS = 2,
  KEPT_CHOSEN = 4, /* it is chosen, even if its figures are 0 */
  KEPT_ALL = 7
};

/* Return whether the allocations, or the calls, of sample I count. */
static inline bool
selection_keeps(const struct selection *selection, size_t i)
{
  return (selection->kept[i] & KEPT_ALLOCATIONS) != 0;
}

static inline bool
selection_keeps_calls(const struct selection *selection, size_t i)
{
  return selection->counts_calls && (selection->kept[i] & KEPT_CALLS) != 0;
}

/* Returns whether the function that runs a body is on the chain of NODE. */
static inline bool
is_below_root(const struct selection *selection, size_t node)
{
  return (selection->walks[node].flags & CHAIN_BELOW_ROOT) != 0;
}

/* Returns in which phase sample I was. */
enum phase selection_phase(const struct selection *selection, size_t i);

/* Returns how many frames show of NODE's own location in the profile's tree,
 * not of the whole chain; NODE is not TREE_ROOT.  Sets SHOWN, which has room
 * for most_frames, to their indices in the frame table, from the root on, and
 * END to the state of the chain after them; both may be NULL. */
size_t selection_shown(const struct selection *selection, uint32_t node,
                       uint32_t *shown, struct chain_walk *end);

/* Returns whether the chain of NODE begins within NODE, as all that is
 * further out was cut off. */
bool selection_begins(const struct selection *selection, uint32_t node);

/* Reasons for a chain without a frame that shows. */
enum nameless {
  NAMELESS_UNKNOWN, /* the file has no frame for it */
  NAMELESS_HIDDEN,  /* by --hide or --system=hide */
  NAMELESS_RUNTIME, /* it has only runtime functions */
  NAMELESS_SESSION, /* it was cut off */
  NAMELESS_COUNT
};

/* Returns why no frame shows on the chain of NODE; to be called only if none
 * does. */
enum nameless selection_nameless(const struct selection *selection,
                                 uint32_t node);

/* Returns what shows in the place of the frames, such as "[runtime]". */
const char *nameless_name(enum nameless reason);

/* ---- what the expressions match ---- */

/* Returns whether EXPRESSION is given and matches FUNCTION. */
static inline bool
is_matched(const struct selection *selection, enum expression expression,
           size_t function)
{
  const bool *matches = selection->matches[expression];
  return matches != NULL && matches[function];
}

/* Returns whether EXPRESSION is not given, or matches ITEM. */
static inline bool
is_chosen(const struct selection *selection, enum expression expression,
          size_t item)
{
  const bool *matches = selection->matches[expression];
  return matches == NULL || matches[item];
}

/* Sets TEXTS to the names of ITEM that EXPRESSION is matched with; the second
 * is "" where it has only one.  ITEM is the number of a function of the frame
 * table, or of a thread, region or type of the profile, which own the names.
 * Returns false if there is no such item. */
bool selection_item_names(const struct selection *selection,
                          enum expression expression, size_t item,
                          const char *texts[2]);
