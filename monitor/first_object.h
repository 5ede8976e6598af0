/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * first_object.h -- in which order does a function make its calls?  Does it
 * make an object before all else?
 *
 * The question is put to the machine code of the function.  Say that all ways
 * from its entry to a call lead past one that makes an object: then whoever
 * meets its frame at that call has met it before, when it made that object,
 * and need not know the frame again to know that.  So it need not be marked
 * (stack_walk.h).  The runtime's bignums are made like this: first the object,
 * then its digits, by functions of GMP.  So are lists.
 */
#ifndef MPROF_FIRST_OBJECT_H
#define MPROF_FIRST_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

enum call_order {
  ORDER_UNKNOWN,
  ORDER_FIRST, /* it makes an object, and the calls that may come after it
                  are all ORDER_AFTER */
  ORDER_AFTER  /* each way to it leads past a call that makes an object */
};

/* Where a function's code is, from its entry on. */
struct function_code {
  uintptr_t start, end;
};

/* Whether no call of the function returns without having announced an
 * object. */
typedef bool allocates_fn(uintptr_t function);

/* What the call with return address `address' is in that function.  Reads
 * some hundreds of instructions (some dozens of microseconds); may run inside
 * the hook. */
enum call_order first_object_order(struct function_code code,
                                   uintptr_t address,
                                   allocates_fn *allocates);

/* Whether an activation of the function can make that call only once. */
bool first_object_comes_once(struct function_code code, uintptr_t address);

#endif
