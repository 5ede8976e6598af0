/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*     malloc_state   lock, flags
 *                    10 lists of small blocks, `top', the last remainder
 *                    127 rings: the first block and the last one
 *                    which rings have blocks; the next malloc_state; sums
 *
 * A ring is taken to be a block of which all but these two words is missing:
 * 16 bytes before them.  Both are its own address if it is empty.
 */

#include "reach/bins.h"

enum {
  WORD = sizeof(uint64_t),
  RINGS = 127,
  FEW = 8, /* a thread may have stopped while it changed one */
  RING_BYTES = 2 * WORD,
  BLOCK_FIRST = 2 * WORD, /* in a block: the next one, */
  BLOCK_LAST = 3 * WORD,  /* the one before */
  BYTES_BEFORE = 14 * WORD,
  BYTES_BEHIND = 7 * WORD
};

/* Whether a ring is at AT: the first block has it before it. */
static bool
is_ring(struct remote_memory *memory, uint64_t at)
{
  const uint64_t first = remote_memory_word(memory, at);
  return first != 0 && remote_memory_word(memory, first + BLOCK_LAST) ==
                           at - BLOCK_FIRST;
}

void
bins_find(struct remote_memory *memory, uint64_t start, uint64_t end,
          uint64_t *first, uint64_t *last)
{
  *first = *last = 0;
  for (uint64_t at = start; at + RINGS * RING_BYTES <= end; at += WORD) {
    int rings = 0;
    for (uint64_t i = 0; i < RINGS && (i == 0 || rings > 0); i++)
      rings += is_ring(memory, at + RING_BYTES * i);
    if (rings > RINGS - FEW) {
      *first = at - BYTES_BEFORE;
      *last = at + RINGS * RING_BYTES + BYTES_BEHIND;
      return;
    }
  }
}
