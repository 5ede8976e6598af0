/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_table.h -- live objects by their address that have no header
 * (object_header.h).
 *
 * Open addressing with linear probing, at most three quarters full, or where
 * there is no memory for a larger one all but one place; what is taken out
 * leaves no trace, and the table grows to twice its size.
 *
 * An object has a place from before it is put there until after it is taken
 * out, so that it can be put back.
 *
 * Has a lock of its own, keeps errno, and takes memory from the kernel only:
 * runs inside the hook. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "c/count/monitor.h"
#include "image/arena.h"

/* What is known of an object of the program. */
struct object_record {
  uintptr_t address; /* 0: none */
  size_t bytes;      /* requested */
  struct counted counted;
  bool headed; /* it has a header: then it is in no table */
  bool listed; /* it has a place in the table */
};

enum {
#ifdef MPROF_TINY
  OBJECT_TABLE_BITS = 2
#else
  OBJECT_TABLE_BITS = 9
#endif
};

struct object_table { /* all zero: empty */
  struct spin_lock lock;
  struct arena arena; /* none: the first places */
  struct object_record *objects;
  size_t count;   /* of places that are reserved */
  unsigned bits;  /* of the number of places */
  bool lists_all; /* also what is not counted */
  struct object_record first[1 << OBJECT_TABLE_BITS];
};

/* Makes room for so many objects more, as far as there is memory. */
void object_table_make_room(struct object_table *table, size_t more);

/* Reserve a place for an object.  False: there is no memory. */
bool object_table_reserve(struct object_table *table);

/* Put an object there that has a place, or had one before it was taken; in
 * place of one with that address, if there is any. */
void object_table_put(struct object_table *table,
                      const struct object_record *object);

/* Gives back the place of an object that is not there any more. */
void object_table_unreserve(struct object_table *table);

/* Take it out of the table, but keep its place; false: it is not there. */
bool object_table_remove(struct object_table *table, uintptr_t address,
                         struct object_record *object);
