/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_table.h -- live objects by their address that have no mark
 * (interpose/object_mark.h).
 *
 * Open addressing with linear probing, at most three quarters full, or where
 * there is no memory for a larger one all but one place; what is taken out
 * leaves no trace, and the table grows to twice its size.
 *
 * A place is reserved before an object is put there, and given back after the
 * object was removed, so that putting it back cannot fail.
 *
 * Each function takes the table's lock; all but object_table_make_room keep
 * errno and may run inside the hook.  Memory is the kernel's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sizes.h"
#include "c/count/stripes.h"
#include "image/arena.h"
#include "image/spin_lock.h"

/* Set in addresses of objects that a pool of the program gives out: the block
 * in which the object is may have the same address.  Others are below it. */
#define OBJECT_OF_POOL (UINT64_C(1) << 63)

/* What is known of an object of the program. */
struct object_record {
  uintptr_t address; /* with OBJECT_OF_POOL if it has that; 0: none */
  size_t bytes;      /* requested */
  struct counted counted;
  bool marked; /* it has a mark: then it is in no table */
  bool listed; /* a place in the table is reserved for it */
};

enum { OBJECT_TABLE_BITS = SIZE_OF(2, 9) };

struct object_table { /* all zero: empty */
  struct spin_lock lock;
  struct arena arena; /* memory of `objects', unless that is `first' */
  struct object_record *objects; /* NULL: not used yet */
  size_t count;   /* reserved places, used or not; read without the lock */
  unsigned bits;  /* base-2 logarithm of the number of places */
  bool lists_all; /* objects that are not counted are listed, too */
  struct object_record first[1 << OBJECT_TABLE_BITS];
};

/* Makes room for MORE objects, as far as there is memory. */
void object_table_make_room(struct object_table *table, size_t more);

/* Reserves a place for an object.  Returns false if there is no memory. */
bool object_table_reserve(struct object_table *table);

/* Puts a copy of the object into a reserved place.  Replaces one with the
 * same address, whose place it gives back. */
void object_table_put(struct object_table *table,
                      const struct object_record *object);

/* Gives back a place that was reserved and has no object. */
void object_table_unreserve(struct object_table *table);

/* Moves the object at `address' to *object, and keeps its place reserved.
 * Returns false, with *object unchanged, if it is not in the table. */
bool object_table_remove(struct object_table *table, uintptr_t address,
                         struct object_record *object);
