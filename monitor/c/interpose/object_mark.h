/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_mark.h -- the 8 bytes at the end of an object's block: the leaf of
 * the context tree that the object is counted in, and its size.
 *
 *     what the real allocator gave, and the program gets
 *     v
 *     +--------------------------+-------+------+
 *     | the object, of `bytes'   | slack | mark |
 *     +--------------------------+-------+------+
 *
 * So no object is looked up in memory far from it, dead ones take none, and
 * any function may free an object, also one that mprof does not see.  If all
 * sizes are equally frequent, half of the marks are where the GNU C library
 * rounds up, and its blocks are 8 bytes larger on average.  With 16 bytes
 * before each object a script of bash with hundreds of children, which copy
 * its heap, had 180,000 page faults, and took 2.1 times as long as without
 * mprof.  With marks it has 121,000, and takes 1.4 to 1.6 times as long.
 *
 * Bits of a mark, from the lowest: leaf with the thread's number, bytes,
 * slack / 8, check.  The check is a hash of the object's address, plus the
 * epoch of the figures that the object is counted in, 0 if it is in none.  The
 * leaf is stored as its exclusive-or with other bits of that hash, since small
 * numbers are frequent in memory that is no mark.  The mark is cleared when the
 * object is freed.  An object whose slack or size is too large for a mark has
 * none, and is in a table (object_table.h).  Others the real allocator gave out
 * unseen by mprof.
 *
 * The search for lost objects (reduce/leak_search/) finds objects by it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/stripes.h"

enum {
  MARK_BYTES = 8, /* also what it is aligned to, as are all objects */
  MARK_LEAF_BITS = 29,
  MARK_SIZE_BITS = 13,
  MARK_SLACK_BITS = 3,
  MARK_CHECK_BITS = 19,
  MARK_SLACK_AT = MARK_LEAF_BITS + MARK_SIZE_BITS,
  MARK_CHECK_AT = MARK_SLACK_AT + MARK_SLACK_BITS,
  MARK_MOST = (1 << MARK_SIZE_BITS) - 1, /* bytes of an object with a mark */
  MARK_SLACK_END = MARK_BYTES << MARK_SLACK_BITS
};

_Static_assert(MARK_CHECK_AT + MARK_CHECK_BITS == 64, "all bits are used");
_Static_assert((int)MARK_CHECK_BITS == (int)EPOCH_BITS,
               "it has room for an epoch");
_Static_assert((uint64_t)STRIPES << LEAF_BITS <= 1 << MARK_LEAF_BITS,
               "it has room for a leaf with the number of a thread");

static inline uint64_t
object_mark_hash(uintptr_t object)
{
  return object * UINT64_C(0x9E3779B97F4A7C15);
}

/* Returns the bits of the hash that the leaf is stored with. */
static inline uint32_t
object_mark_key(uintptr_t object)
{
  return object_mark_hash(object) >> (MARK_CHECK_AT - MARK_LEAF_BITS) &
         ((1u << MARK_LEAF_BITS) - 1);
}

/* Returns the mark of that object. */
static inline uint64_t
object_mark(uintptr_t object, struct counted counted, size_t bytes,
            size_t slack)
{
  const uint64_t check =
      (object_mark_hash(object) >> MARK_CHECK_AT) + counted.epoch;
  return (counted.leaf ^ object_mark_key(object)) |
         (uint64_t)bytes << MARK_LEAF_BITS |
         (uint64_t)slack / MARK_BYTES << MARK_SLACK_AT |
         check << MARK_CHECK_AT;
}

static inline owned_leaf
object_mark_leaf(uint64_t mark, uintptr_t object)
{
  return (mark & ((1u << MARK_LEAF_BITS) - 1)) ^ object_mark_key(object);
}

static inline size_t
object_mark_size(uint64_t mark)
{
  return mark >> MARK_LEAF_BITS & MARK_MOST;
}

/* Returns slack / 8. */
static inline size_t
object_mark_slack(uint64_t mark)
{
  return mark >> MARK_SLACK_AT & (MARK_SLACK_END / MARK_BYTES - 1);
}

/* Returns the epoch in the mark, if it is one of that object; else any number.
 */
static inline uint32_t
object_mark_epoch(uint64_t mark, uintptr_t object)
{
  return ((mark >> MARK_CHECK_AT) -
          (object_mark_hash(object) >> MARK_CHECK_AT)) &
         EPOCH_MOST;
}

/* Returns whether a mark at PLACE has the size of that object's block. */
static inline bool
object_mark_fits(uint64_t mark, uintptr_t place, uintptr_t object)
{
  return (place - object - object_mark_size(mark)) / MARK_BYTES ==
         object_mark_slack(mark);
}

/* Returns how many bytes a block of the GNU C library has from the object on,
 * by the word before the object; 0 if it is mapped by itself. */
static inline size_t
object_mark_chunk_end(uint64_t head)
{
  enum { IS_MAPPED = 2, FLAGS = 7 };
  return (head & IS_MAPPED) != 0 ? 0 : (head & ~(size_t)FLAGS) - sizeof head;
}

/* Returns whether what is at PLACE may be the mark of that object, of one of
 * the epochs until NOW.  Another word in that place is taken for one once in
 * 2^29. */
static inline bool
object_mark_is_of(uint64_t mark, uintptr_t place, uintptr_t object,
                  uint32_t now)
{
  const uint32_t epoch = object_mark_epoch(mark, object);
  return epoch <= now && object_mark_fits(mark, place, object) &&
         (object_mark_leaf(mark, object) == 0) == (epoch == 0);
}
