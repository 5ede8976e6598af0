/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_table.h -- live objects by their address, where the header cannot
 * tell of them (object_header.h): those that have none, and those whose
 * header is on another page.
 *
 * Open addressing with linear probing, at most three quarters full; what is
 * taken out leaves no trace, and the table grows and shrinks by halves.
 *
 * Not thread safe; the owner has a lock.  Takes memory from the kernel only:
 * runs inside the hook.
 */
#ifndef MPROF_OBJECT_TABLE_H
#define MPROF_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "malloc/count/malloc_monitor.h"
#include "tree/arena.h"

/* What is known of an object of the program. */
struct object_record {
  uintptr_t address; /* 0: none */
  size_t bytes;      /* requested */
  struct counted counted;
  bool headed; /* it has a header */
};

struct object_table { /* all zero: empty */
  struct arena arena;
  struct object_record *objects;
  size_t count;
  unsigned bits; /* of the number of places */
};

/* Put an object there, in place of one with that address whose end was not
 * seen.  Without memory it is not there. */
void object_table_put(struct object_table *table,
                      const struct object_record *object);

/* The object at `address', or NULL. */
const struct object_record *
object_table_find(const struct object_table *table, uintptr_t address);

/* Take it out of the table; false: it is not there. */
bool object_table_take(struct object_table *table, uintptr_t address,
                       struct object_record *object);

#endif
