/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * function_numbers.h -- which calls are made by one function.
 *
 * A function is what has one entry in the call-frame information; where there
 * is none, each call counts as a function.  Where a compiler made two of one
 * (a cold part), less recursion is folded than could be, and all that is
 * folded is right (context_tree.h).
 *
 * Numbers are given when functions are met.  When code is unloaded, what is
 * then loaded at its addresses gets others.
 *
 * Shared by all threads; runs inside the hook. */
#pragma once

#include <stdint.h>

#include "tables/shared_table.h"

struct function_numbers {
  struct shared_table table; /* SHARED_TABLE_EMPTY at first; its lock is also
                                that of `last' */
  uint32_t last, most;       /* last number given; limit, set by the owner */
  /* Called, unless NULL, with each number before it is given and the start of
   * its function, or else an address in it.  Returns false if there is no
   * memory; then nobody gets the number.  Inside the hook, with the lock. */
  bool (*on_new_number)(uint32_t number, uintptr_t code);
};

/* Return the number, from 1 on, of the function that has the return address
 * `site', or that begins at `start'; give it a new one if it has none, with
 * the table's lock.  Return 0 if there is no room for more, and for 0; for a
 * site also in a handler of a signal that interrupted the lock's holder. */
uint32_t function_number_of_site(struct function_numbers *numbers,
                                 uintptr_t site);
uint32_t function_number_of_start(struct function_numbers *numbers,
                                  uintptr_t start);

/* Gives a number that was forgotten to the function that begins at `start'.
 * Returns false if that has one, or there is no room.  Takes the table's
 * lock; not inside the hook. */
bool function_number_again(struct function_numbers *numbers, uintptr_t start,
                           uint32_t number);

/* Forgets the functions of the code from `start' to `end', which is unloaded:
 * their numbers are given to no others but by function_number_again.  Takes
 * the table's lock. */
void function_numbers_forget(struct function_numbers *numbers,
                             uintptr_t start, uintptr_t end);
