/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_tree.h -- the calling context tree of a Lisp thread, or of all
 * threads of a C program, and what was allocated in each context.
 *
 * Model.  A *site* is an address in the code of a function: the return
 * address of a call that it made.  A *context* is a site and the context of
 * the call by which its function was entered:
 *
 *     context 7 = (parent 3, site in BAR)      path: ... FOO, BAR
 *
 * A *leaf* is the last edge of a path: a site at which an allocator was
 * called, and of what kind (type, size and class) the objects are:
 *
 *     leaf 9 = (up 7, site in BAZ, kind 4)     path: ... FOO, BAR, BAZ
 *
 * Sites tell the calls in one context apart.  A site of a Lisp program is a
 * function, with the line if that is known (SITE_PLACE), and not an address:
 * reports show no more, code may be unloaded, and there are fewer contexts
 * (Maxima: 1.3 million, and 0.7 million without lines).
 *
 * Counters are on leaves (of C programs in c/count/stripes.h), and
 * activations on the context or leaf by which the function was entered first;
 * the figures of callers are sums, made when the tree is read.
 *
 * Memory.  A context takes 40 bytes and a leaf 48; the index of either takes
 * 11 to 22 more.  The first context and the first leaf below a context are
 * not in the index, for the context knows them: nearly all have no other.
 * Kinds are interned: 16 bytes and their index, for each type, size and class
 * that there is.
 *
 * Recursion.  A context whose function is on the path already may be folded:
 * it then has a `target' elsewhere, and everything below it goes there
 * (context_fold.h).  It may have children nevertheless, none of which is
 * folded: so the last callers of a path are kept as they were
 * (c/count/hook.c).
 *
 * The budget.  When there are as many contexts or leaves as the budget
 * allows, a path that is new is counted at its nearest caller P that has a
 * context, below a child of P that stands for all that finds no room there:
 *
 *     context 12 = (parent 7, SITE_OVERFLOW)     FOO, BAR, [over the budget]
 *     leaf 30 = (up 12, SITE_OVERFLOW, kind 4)   the same, and of what kind
 *
 * That context takes none of the budget, and P has one at most.  It is its
 * own child, whatever is called further in, and its leaves are told apart by
 * their kinds alone.  So all totals are exact, those by type, size and class
 * too, and so are the inclusive figures of all that have contexts.  Where
 * such leaves become more than the budget and CONTEXT_SPARE, those that are
 * new are the root's; only its own callers lack them then.  What the kernel
 * gives no memory for is counted at LEAF_OVERFLOW, which has no kind.
 *
 * Invariants: parents have smaller numbers than their children; context 0 is
 * the root, 1 is its child for what is over the budget; the target of a
 * context is itself or has a smaller or larger number but is never folded.
 * Numbers and addresses of records never change.
 *
 * One owner, no locks, no malloc: all but init and release may run inside
 * the hook.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/arena.h"
#include "tables/record_index.h"

/* Contexts that exist in each tree. */
enum {
  CONTEXT_ROOT = 0,
  CONTEXT_OVERFLOW = 1, /* over the budget, below the root */
  CONTEXT_FIRST = 2
};

/* Leaves that exist in each tree; number 0 is no leaf. */
enum {
  LEAF_OVERFLOW = 1, /* for objects that found no memory */
  LEAF_FIRST = 2
};

/* Sites that are no code addresses (those are below 2^48). */
#define SITE_OBJECT (1ULL << 63)  /* | a Lisp name: byte-compiled function */
#define SITE_RETIRED (1ULL << 62) /* | a number: code that was unloaded */
#define SITE_SPECIAL (1ULL << 61) /* | enum site_special */
#define SITE_PLACE (1ULL << 60)   /* | see site_place */
/* The site of contexts and leaves for paths over the budget. */
#define SITE_OVER (SITE_SPECIAL | SITE_OVERFLOW)
enum site_special {
  SITE_OVERFLOW = 1,
  SITE_SIGNAL_HANDLER = 2,
  SITE_FINALIZERS = 3,
  SITE_CUT_SHORT = 4 /* the walk did not reach the stack's beginning */
};

/* Of a retired site the number of the file that was unloaded, and the offset
 * from its start (code_objects.h). */
enum { RETIRED_OFFSET_BITS = 40 };
#define RETIRED_OBJECT(site)                                                 \
  ((size_t)(((site) & ~SITE_RETIRED) >> RETIRED_OFFSET_BITS))
#define RETIRED_OFFSET(site)                                                 \
  ((uintptr_t)((site) & ((UINT64_C(1) << RETIRED_OFFSET_BITS) - 1)))

struct context {
  uint64_t site;        /* of the call that was made in this context */
  uint64_t activations; /* calls whose first allocation was made below */
  uint32_t parent;      /* number of the caller's context */
  uint32_t target;      /* own number, or that of a recursive call's fold */
  uint32_t function;    /* see context_tree_function_fn; 0: not known */
  uint32_t marks;       /* bits: CONTEXT_SHOWN and those defined below it */
  uint32_t first;       /* number of the child made first; 0: none */
  uint32_t first_leaf;  /* number of the leaf made first; 0: none */
};

/* Of context.marks: the number of the nearest function on the path, from
 * itself rootward, that reports show (0: none); from CONTEXT_STATE_SHIFT on
 * the enum phase_state below the function. */
#define CONTEXT_SHOWN ((1u << 26) - 1)
enum { CONTEXT_STATE_SHIFT = 26 };
#define CONTEXT_STATE(marks) ((marks) >> CONTEXT_STATE_SHIFT & 7)
#define CONTEXT_NEW_ARC (1u << 29) /* an arc was not on the path above it */
#define CONTEXT_KEPT (1u << 30)    /* it is below one that was folded */

/* Sizes up to this are told apart; larger objects of one type share a leaf.
 * It is the largest size for which the collector has size classes. */
enum { LEAF_MAX_SIZE = 2048, LEAF_LARGE = 4095 };

/* Returns kind.size of an object of `bytes'. */
static inline uint32_t
leaf_size(size_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : (uint32_t)LEAF_LARGE;
}

/* Set in kind.what: the objects were requested in pieces that the size does
 * not tell; their requests are counted one by one (requests.h). */
enum { LEAF_PIECES = 1 << 24 };

/* Type, size, class and region of the objects of a leaf. */
enum { KIND_ANY = 0 }; /* number of LEAF_OVERFLOW's kind */
struct kind {
  union {
    uint64_t clas;   /* class of an instance or structure, or 0 */
    uint64_t origin; /* in a C program: see monitor.h */
  };
  uint32_t what;   /* enum allocation_what of classify.h */
  uint16_t size;   /* bytes of one object; LEAF_LARGE; 0: growth of a body */
  uint16_t region; /* number of the thread's region; 0: none */
};

struct leaf {
  uint64_t site;        /* of the call of the allocator */
  uint64_t count;       /* objects; 0 where a body grew, and in C programs */
  uint64_t bytes;       /* bytes requested; 0 in C programs */
  uint64_t activations; /* calls that made their first allocation here */
  uint32_t up;          /* the context that called the allocating function */
  uint32_t target;      /* up, or its place on the path when the allocating
                           function was called recursively and is folded */
  uint32_t kind;        /* number of its kind */
  uint32_t function;    /* function of `site', as in a context */
};

/* Bits of a function number: the number proper, and the function's enum
 * phase_role. */
#define FUNCTION_NUMBER ((1u << 26) - 1)
#define FUNCTION_ROLE_SHIFT 26
#define FUNCTION_ROLE(function) ((function) >> FUNCTION_ROLE_SHIFT & 7)
/* Bit of a function number: reports hide the function. */
#define FUNCTION_HIDDEN (1u << 30)
/* Bit of a function number: reports begin chains below the function, so
 * folding does not look at the path above it. */
#define FUNCTION_ROOT (1u << 29)

/* A place in a function, by bits: 0-25 its number, 26-41 the offset of the
 * call (0: of any), 42-59 the line of the source (0: not known). */
enum { PLACE_OFFSETS = (1 << 16) - 1, PLACE_LINES = (1 << 18) - 1 };
#define PLACE_OFFSET(site) ((uint32_t)((site) >> 26) & PLACE_OFFSETS)
#define PLACE_LINE(site) ((uint32_t)((site) >> 42) & PLACE_LINES)
static inline uint64_t
site_place(uint32_t function, uint32_t line, uint32_t offset)
{
  return SITE_PLACE | (uint64_t)line << 42 | (uint64_t)offset << 26 |
         (function & FUNCTION_NUMBER);
}

/* Returns the function that `site' is in, called by the function `caller' (0:
 * not known): a number > 0 and at most FUNCTION_NUMBER, equal for equal
 * functions, with its role, and perhaps with FUNCTION_HIDDEN or
 * FUNCTION_ROOT; 0 if it is not known (then it is never folded).  Runs inside
 * the hook. */
typedef uint32_t context_tree_function_fn(uint64_t site, uint32_t caller);

/* Makes the owner's arrays that are parallel to the leaves long enough for
 * `leaves' of them.  Returns false if there is no memory.  Runs inside the
 * hook. */
typedef bool context_tree_room_fn(uint32_t leaves);

/* Kinds over the budget that each tree has room for at least. */
enum { CONTEXT_SPARE = 1 << 16 };

enum tree_array { TREE_CONTEXTS, TREE_LEAVES, TREE_KINDS, TREE_ARRAYS };

struct context_tree {
  struct context *contexts;
  struct leaf *leaves;
  struct kind *kinds;
  uint32_t context_count; /* published: records below it are complete */
  uint32_t leaf_count, kind_count;
  uint32_t owner;      /* number in images (image_owner) */
  uint32_t budget;     /* limit of contexts, and of leaves */
  uint32_t most; /* limit of either, with those over the budget: twice the
                    sum of `budget' and CONTEXT_SPARE */
  uint32_t room[TREE_ARRAYS]; /* how many records of each there is memory for
                                 now; of leaves, without LEAF_OVERFLOW */
  uint64_t overflowed; /* look-ups of a context or leaf that found no room */
  struct arena arenas[TREE_ARRAYS]; /* memory of the three arrays above */
  struct record_index indices[TREE_ARRAYS];
  context_tree_function_fn *function_of;
  context_tree_room_fn *make_room; /* or NULL */
  bool fold;                       /* true: recursive contexts are folded */
  bool fold_places; /* true: lines count as functions (context_fold.h) */
};

/* Makes a tree for up to `budget' contexts and as many leaves (at least 16),
 * which takes memory as they are made.  `make_room', unless NULL, is called
 * before leaves are made in new memory.  `fold' false keeps every recursive
 * context.  Returns 0, for context_tree_release, or -1 with errno set. */
int context_tree_init(struct context_tree *tree, uint32_t budget, bool fold,
                      context_tree_function_fn *function_of,
                      context_tree_room_fn *make_room);

/* Gives the memory back and zeroes the tree.  A tree that is all zero may
 * be cleared, released and asked for its bytes only. */
void context_tree_release(struct context_tree *tree);

/* Gives the tree a new `owner' number, and puts its records, but not their
 * indices, into the image of the process if one is open.  Where there is no
 * room the image is marked as incomplete.  Not inside the hook, nor while
 * another thread is. */
void context_tree_map(struct context_tree *tree);

/* Removes all contexts, leaves and kinds; keeps the address space. */
void context_tree_clear(struct context_tree *tree);

/* Reduces `room' to that of a new tree; context_tree_clear must follow. */
void context_tree_shorten(struct context_tree *tree);

/* Adds a quarter to the room of the array, or a small step if memory is
 * short.  Returns false if there is none or `most' is reached. */
bool context_tree_make_room(struct context_tree *tree, enum tree_array array);

/* Makes room for MORE contexts, leaves and kinds, as far as there is memory
 * and `most' allows. */
void context_tree_reserve(struct context_tree *tree, uint32_t more);

/* Returns true if the context stands for paths over the budget. */
static inline bool
context_tree_is_over(const struct context_tree *tree, uint32_t context)
{
  return tree->contexts[context].site == SITE_OVER;
}

/* Returns the context of `site' in the function called from `parent', a new
 * one if need be; one for paths over the budget when that is used up.  To
 * fold a path, ask for the next context from its target. */
uint32_t context_tree_child(struct context_tree *tree, uint32_t parent,
                            uint64_t site);

/* Returns the number of a kind, which is copied if it is new; KIND_ANY if
 * there is no memory. */
uint32_t context_tree_kind_number(struct context_tree *tree,
                                  const struct kind *kind);

/* Returns the leaf of objects of that kind, allocated at `site' in the
 * function called from `up'; makes it if it is new.  Never NULL: without room
 * it is one over the budget, or LEAF_OVERFLOW. */
struct leaf *context_tree_find_leaf(struct context_tree *tree, uint32_t up,
                                    uint64_t site, uint32_t kind);

/* Returns the function of `site', called from `parent'; 0 if not known. */
static inline uint32_t
context_tree_function(const struct context_tree *tree, uint32_t parent,
                      uint64_t site)
{
  return tree->function_of(site,
                           tree->contexts[parent].function & FUNCTION_NUMBER);
}

/* Returns the kind of the leaf's objects. */
static inline const struct kind *
context_tree_kind(const struct context_tree *tree, const struct leaf *leaf)
{
  return &tree->kinds[leaf->kind];
}

/* Returns the bytes of all records and indices, without unused ends of
 * pages. */
uint64_t context_tree_bytes(const struct context_tree *tree);

/* Replaces the site of each record by what `retire' returns for `closure' and
 * the site (code was unloaded; its addresses will be used again).  Indexes
 * the records anew if any changed.  Not inside the hook. */
void context_tree_rename_sites(struct context_tree *tree,
                               uint64_t (*retire)(void *, uint64_t),
                               void *closure);
