/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * live_frees.h -- memory that was freed explicitly since the last collection,
 * and when: the last time by the clock of frees (live_table.h).
 */
#ifndef MPROF_LIVE_FREES_H
#define MPROF_LIVE_FREES_H

#include <stdint.h>

/* The memory is about to be freed, by any thread; may run inside the hook. */
void live_freed(void *memory);

/* Nobody can free anything until the end. */
void live_frees_begin(void);
void live_frees_end(void);

/* When the memory at `address', as an entry has it, was freed last; 0: it was
 * not.  Between begin and end. */
uint64_t live_frees_clock(uint64_t address);

/* Forget those until `clock'.  Between begin and end. */
void live_frees_forget(uint64_t clock);

/* How many found no memory: what they freed may seem alive.  Forget them. */
uint64_t live_frees_lost(void);
void live_frees_forget_lost(void);

/* This is the child of a fork. */
void live_frees_forked(void);

#endif
