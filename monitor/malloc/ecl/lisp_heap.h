/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_heap.h -- counts the objects of an ECL that has no hooks.
 *
 * Model.  The unit is a request to the collector.  ECL's allocator has left
 * word of what it is for (struct lisp_call), or else it is plain memory.  Its
 * leaf in the tree of the C program says what it is: LISP_WHAT below.  Each
 * thread counts the objects of each leaf for itself, without a lock, for
 * nobody frees them.
 *
 * Bodies.  The request after that for the header of an array, a hash table or
 * an instance is for its body.  Both are one object: the count moves from the
 * leaf of the header to one of the whole, whose bytes are the sum.
 *
 * Requests are counted where the leaves do not tell them by number and size,
 * for the reconciliation.
 */
#ifndef MPROF_LISP_HEAP_H
#define MPROF_LISP_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/attributes.h"
#include "balance/requests.h"
#include "malloc/count/malloc_thread.h"
#include "tree/arena.h"

/* What an object is, in 20 bits: one more than its type; flags; and of an
 * array one more than the element type, of an instance the number of the
 * class, else 0. */
enum {
  LISP_TYPE_BITS = 6,
  LISP_NOT_SIMPLE = 1 << 6,
  LISP_PIECES = 1 << 7, /* the leaf does not tell its requests */
  LISP_MORE_SHIFT = 8,
  LISP_MORE_MOST = (1 << 12) - 1
};
#define LISP_WHAT(type, more)                                                \
  (((uint32_t)(type) + 1) | (uint32_t)(more) << LISP_MORE_SHIFT)
#define LISP_TYPE(what) (((what) & ((1u << LISP_TYPE_BITS) - 1)) - 1)

/* What ECL's allocator says of the next request, and those above it. */
struct lisp_call {
  const uintptr_t *frame; /* of the function in front of the allocator; NULL:
                             there is no word */
  uint32_t what;
  uint32_t bodies;  /* that the object may get */
  uint32_t element; /* of the next array: one more than its type, or 0 */
  cl_object class;  /* of the next instance */
};

extern __thread struct lisp_call lisp_call HIDDEN_THREAD;

/* Objects of one leaf, allocated by one thread. */
struct lisp_tally {
  uint64_t count;
  uint64_t bytes; /* where the leaf does not tell them */
};

struct lisp_thread {
  struct lisp_tally *tallies; /* by number of the leaf; they stay where they
                                 are, as others read them unlocked */
  uint32_t room;              /* for so many; 0, or LEAF_FIRST and more */
  struct {
    cl_object object; /* NULL: none waits for a body */
    uint32_t leaf, key, bodies;
    size_t bytes;
  } header;
  uint64_t rounded_bytes; /* of requests that the leaves do not tell */
  struct arena arena; /* of tallies */
  const struct malloc_thread *thread;
  uint32_t served; /* the thread's, as known here */
  pthread_t self;
  bool ended;
  uint64_t record_bytes; /* of the collector's records of threads */
  struct lisp_thread *next;
};

/* All that lisp_hook.h leaves. */
void lisp_heap_count_otherwise(void *object, size_t bytes,
                               const uintptr_t *frame, uint32_t what,
                               uint32_t bodies);

/* The collector made a record of its own, for a finalizer or a weak link. */
void lisp_heap_record(bool link);

/* Count from now on. */
void lisp_heap_open(void);

/* ---- for lisp_balance.c and lisp_profile.c ---- */

struct lisp_heap {
  struct lisp_thread *threads; /* all that there were */
  uint64_t finalizers, links;  /* records */
};

extern struct lisp_heap lisp_heap HIDDEN;

#endif
