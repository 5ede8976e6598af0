/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_heap.h -- counts the objects of an ECL that has no hooks.
 *
 * Model.  The unit is a request to the collector.  ECL's allocator has
 * announced what it is for (allocators.c), or else it is plain memory.  Its
 * leaf in the tree of the C program says what it is: LISP_WHAT below.  Each
 * thread counts the objects of each leaf for itself, without a lock, for
 * nobody frees them.
 *
 * Bodies.  The request after that for the header of an array, a hash table or
 * an instance is for its body.  Both are one object: the count moves from the
 * leaf of the header to that of the whole, whose bytes are the sum.
 *
 * Requests are added up where the leaves do not tell them by number and size,
 * for the reconciliation.
 */
#ifndef MPROF_LISP_HEAP_H
#define MPROF_LISP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>
#include <gc/gc_tiny_fl.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "c/count/counting.h"
#include "image/arena.h"
#include "lisp/balance/requests.h"

/* What an object is: as the hooks of a patched ECL tell it (classify.h), but
 * of an instance with the number of its class behind the type. */
enum { LISP_PIECES = 1 << 7 /* the leaf does not tell its requests */ };
#define LISP_WHAT(type, more)                                                \
  ((uint32_t)(type) | (uint32_t)(more) << NOTE_CLASS_SHIFT)
#define LISP_TYPE(what) ((what) & NOTE_TYPE_ALONE)
enum { LISP_CLASSES = (1 << (20 - NOTE_CLASS_SHIFT)) - 1 }; /* at most */

/* A request for an object, or for a part of one. */
struct lisp_request {
  const uintptr_t *frame; /* of the function in front of the allocator, which
                             was called for it; NULL: it is not known */
  uint32_t what;
  uint32_t bodies; /* that the object may get */
};

/* Objects of one leaf, allocated by one thread. */
struct lisp_tally {
  uint64_t count;
  uint64_t bytes; /* where the leaf does not tell them */
};

struct lisp_thread {
  struct lisp_tally *tallies; /* by leaf; they do not move, as others
                                 read them unlocked */
  uint32_t room;              /* for so many; 0, or LEAF_FIRST and more */
  struct lisp_header {
    cl_object object; /* NULL: none waits for a body */
    uint32_t leaf, key, bodies;
    size_t bytes;
  } header;
  struct requests requests; /* that the leaves do not tell */
  struct arena arena;       /* of tallies */
  uint32_t thread_number;   /* the malloc_thread's, as known here */
  void **lists; /* of the collector (lisp_balance.h); NULL: it left */
  struct lisp_thread *next;
};

extern struct lisp_thread *lisp_threads HIDDEN; /* all that there were */

/* Whether the objects of a leaf tell their requests by number and size: the
 * collector rounds those of up to so many bytes the same at any time. */
enum { LISP_FIXED_MOST = (GC_TINY_FREELISTS - 1) * GC_GRANULE_BYTES };

static inline bool
lisp_leaf_tells(uint32_t what, size_t bytes)
{
  return bytes <= LISP_FIXED_MOST && (what & LISP_PIECES) == 0;
}

/* Count from now on; and know which function the interpreter runs
 * (lisp_frames.c). */
void lisp_heap_open(void);
void lisp_frames_open(void);

/* All that the hook leaves. */
void lisp_heap_count_slow(void *object, size_t bytes,
                          struct lisp_request request);

/* The leaf of an object of that key, if the thread knows it; else 0. */
HOOK_INLINE uint32_t
lisp_known_leaf(struct malloc_thread *thread, uint32_t key,
                const uintptr_t *frame)
{
  struct known_path *const path = call_chain_find_numbered(
      &thread->chain, frame[1], arch_frame_stack(frame), frame[0]);
  return path == NULL ? 0 : known_leaf(thread, path, key);
}

/* The hook, on the way that nearly all objects take: as in interpose.c, but
 * that no lock is taken.  A request for `bytes' was fulfilled. */
HOOK_INLINE void
lisp_hook_allocated(void *object, size_t bytes, struct lisp_request request)
{
  struct malloc_thread *const thread = malloc_thread_current;
  struct lisp_thread *lisp;
  uint32_t leaf;
  if (__builtin_expect(
          bytes > LISP_FIXED_MOST || thread == NULL || thread->lisp == NULL ||
              malloc_monitor_inside != 0 || !malloc_monitor_is_counting(),
          0))
    goto slow;
  lisp = thread->lisp;
  malloc_monitor_inside = 1;
  leaf = lisp_known_leaf(thread,
                         (uint32_t)bytes | request.what << LEAF_SIZE_BITS,
                         request.frame);
  malloc_monitor_inside = 0;
  if (__builtin_expect(leaf < LEAF_FIRST || leaf >= lisp->room ||
                           lisp->header.object != NULL ||
                           request.bodies != 0 ||
                           thread->generation != stripes.generation,
                       0))
    goto slow;
  lisp->tallies[leaf].count++;
  return;
slow:
  lisp_heap_count_slow(object, bytes, request);
}

#endif
