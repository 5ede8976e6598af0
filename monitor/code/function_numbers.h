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
  struct shared_table table;
  uint32_t last, most; /* numbers */
  /* Told of each new number before anybody has it, and of where its function
   * begins or else of an address in it; or NULL.  False: there is no memory,
   * and the number is given to nobody.  Inside the hook. */
  bool (*on_new_number)(uint32_t number, uintptr_t code);
};

/* Return the number, from 1 on, of the function that returns to `site', or
 * that begins at `start'; 0 when there is no room for more, and for 0. */
uint32_t function_number_of_site(struct function_numbers *numbers,
                                 uintptr_t site);
uint32_t function_number_of_start(struct function_numbers *numbers,
                                  uintptr_t start);

/* Give a number that was forgotten to the function that begins at `start'.
 * False: it has one, or there is no room.  Not inside the hook. */
bool function_number_again(struct function_numbers *numbers, uintptr_t start,
                           uint32_t number);

/* Forgets the functions of the code from `start' to `end', which is unloaded:
 * their numbers are given to no others but by function_number_again. */
void function_numbers_forget(struct function_numbers *numbers,
                             uintptr_t start, uintptr_t end);
