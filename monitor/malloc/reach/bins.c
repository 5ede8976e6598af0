/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * bins.c -- see bins.h.
 *
 *     malloc_state   lock, flags
 *                    10 lists of small blocks, `top', the last remainder
 *                    127 rings: the first block and the last one
 *                    which rings have blocks; the next malloc_state; sums
 *
 * A ring is taken to be a block of which all but these two words is missing:
 * 16 bytes before them.  Both are its own address if it is empty.
 */
#include "malloc/reach/bins.h"

#include "arch/attributes.h"

enum {
  RINGS = 127,
  FEW = 8, /* a thread may have stopped while it changed one */
  RING_WORDS = 2,
  BLOCK_FIRST = 2, /* words of a block: the next one, */
  BLOCK_LAST = 3,  /* the one before */
  WORDS_BEFORE = 14,
  WORDS_BEHIND = 7
};

/* Whether a ring is at `at': the first block has it before it. */
static UNSANITIZED bool
is_ring(const struct memory_map *map, const uintptr_t *at)
{
  const uintptr_t *const block = at - BLOCK_FIRST;
  const uintptr_t *const first = (const uintptr_t *)*at;
  return (*at & (sizeof *at - 1)) == 0 &&
         (first == block || memory_map_find(map, *at) != NULL) &&
         memory_map_find(map, (uintptr_t)(first + BLOCK_LAST)) != NULL &&
         first[BLOCK_LAST] == (uintptr_t)block;
}

void
bins_find(const struct memory_map *map, uintptr_t start, uintptr_t end,
          uintptr_t *first, uintptr_t *last)
{
  const uintptr_t *const behind = (const uintptr_t *)end;
  *first = *last = 0;
  for (const uintptr_t *at = (const uintptr_t *)start;
       at + RINGS * RING_WORDS <= behind; at++) {
    int rings = 0;
    for (int i = 0; i < RINGS && (i == 0 || rings > 0); i++)
      rings += is_ring(map, at + RING_WORDS * i);
    if (rings > RINGS - FEW) {
      *first = (uintptr_t)(at - WORDS_BEFORE);
      *last = (uintptr_t)(at + RINGS * RING_WORDS + WORDS_BEHIND);
      return;
    }
  }
}
