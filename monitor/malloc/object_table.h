/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_table.h -- live objects that have no header (object_header.h): which
 * leaf of the context tree each belongs to, and how many bytes were
 * requested.
 *
 * Memory.  An entry takes 10 bytes: the object's address, its leaf, and 7
 * bits by which the requested size follows from the allocator's own
 * (malloc_usable_size).  The table is kept between 63 and 84 % full: 12 to 16
 * bytes for each live object, none for those that are dead.  Objects whose
 * sizes differ by more have a second entry in a table of their own.
 *
 * Order.  Entries are sorted by the hash of their address (linear probing
 * that never puts a larger hash before a smaller one), so the table grows and
 * shrinks by one pass from one end to the other.
 *
 * Not thread safe; the owner has a lock.  Takes memory from the kernel only:
 * runs inside the hook.
 */
#ifndef MPROF_OBJECT_TABLE_H
#define MPROF_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_entry { /* all zero: free */
  uint32_t order;    /* the upper 32 of the 45 bits of the hash */
  uint16_t rest;     /* the lower 13, and above them 3 of the difference */
  uint32_t leaf;     /* 28 bits, and above them 4 of the difference */
} __attribute__((packed));

enum { TABLE_LEAVES = 1 << 28 }; /* leaves have smaller numbers */

struct entry_table {
  struct table_entry *entries;
  size_t count, capacity; /* capacity: of places that hashes fall on */
  size_t mapped_bytes;
};

struct object_table { /* all zero: empty */
  struct entry_table all;
  struct entry_table wide; /* differences of 35 bits, where 7 are too few */
};

/* What is known of a live object. */
struct table_object {
  uint32_t leaf;
  size_t bytes; /* requested */
};

enum table_added {
  TABLE_ADDED,
  TABLE_REPLACED, /* an object was there already: its end was not seen */
  TABLE_NO_MEMORY
};

/* Add the object at `address', of which the allocator's own size is `usable',
 * not less than object->bytes.  When one is replaced, *object becomes that
 * (its bytes are those of an object of the same usable size). */
enum table_added object_table_add(struct object_table *table,
                                  uintptr_t address, size_t usable,
                                  struct table_object *object);

/* Remove the object at `address'; false when none is there. */
bool object_table_remove(struct object_table *table, uintptr_t address,
                         size_t usable, struct table_object *object);

/* The same without removing it. */
bool object_table_find(const struct object_table *table, uintptr_t address,
                       size_t usable, struct table_object *object);

/* Forget all. */
void object_table_clear(struct object_table *table);

/* The memory of all tables, in bytes. */
size_t object_table_bytes(const struct object_table *table);

#endif
