/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_objects.h -- Lisp objects that stay alive, because their address is
 * their name: names of byte-compiled functions, and classes.
 *
 * Each has a *slot*.  What the hook and the writer need of them is in
 * code_index.h (code_index_keep and after it); here is what the rest of the
 * index needs.
 */
#ifndef MPROF_KEPT_OBJECTS_H
#define MPROF_KEPT_OBJECTS_H

#include <stdint.h>

#include <ecl/ecl.h>

enum { KEPT_OBJECTS = 1 << 19 }; /* the largest limit */

/* Make the table, for `limit' objects (threads that add at once may go beyond
 * it by one each); only the first call does anything.  Gives back 0, or -1
 * when memory ran out. */
int kept_objects_reserve(uint32_t limit);

/* The object in a slot; OBJNULL when there is none.  Inside the hook. */
cl_object kept_objects_at(uint32_t slot);

/* Its name, printed now if it was not; NULL when memory ran out.  Valid until
 * names are printed again.  Not inside the hook. */
const char *kept_objects_name(uint32_t slot);

#endif
