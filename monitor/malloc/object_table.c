/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_table.c -- see object_table.h.
 *
 * The hash is a permutation of the addresses, so it stands for the address.
 * The place that it falls on is hash * capacity / 2^45: larger hashes fall
 * further right, whatever the capacity.  There is no way round from the last
 * place to the first; SLACK places behind the last take what overflows there.
 */
#include "malloc/object_table.h"

#include <string.h>
#include <sys/mman.h>

enum {
#ifdef MPROF_TINY
  FIRST_CAPACITY = 8,
#else
  FIRST_CAPACITY = 1024,
#endif
  SLACK = 256,
  REST_BITS = 13, /* of the hash, in table_entry.rest */
  REST_MASK = (1 << REST_BITS) - 1,
  LEAF_BITS = 28,
  DIFFERENCE_WIDE = 127 /* see the other table */
};

#define HASH_MASK ((UINT64_C(1) << 45) - 1)
#define WIDE_MOST ((UINT64_C(1) << 35) - 1)

/* Full is at 27/32 (11.9 bytes an object), sparse below 20/32 (16.0); it
 * grows by a third, and shrinks to 26/32. */
static bool
is_full(const struct entry_table *t)
{
  return t->count * 32 >= t->capacity * 27;
}

static bool
is_sparse(const struct entry_table *t)
{
  return t->capacity > FIRST_CAPACITY && t->count * 32 < t->capacity * 20;
}

/* ---- one table ---- */

/* A permutation of the 45-bit numbers that spreads neighbours. */
static inline uint64_t
hash_of_address(uintptr_t address)
{
  uint64_t x = (uint64_t)address >> 3 & HASH_MASK;
  x = x * UINT64_C(0x9E3779B97F4A7C15) & HASH_MASK;
  x ^= x >> 23;
  x = x * UINT64_C(0xBF58476D1CE4E5B9) & HASH_MASK;
  return x ^ x >> 22;
}

static inline struct table_entry
entry_of(uintptr_t address, uint64_t difference, uint32_t leaf)
{
  const uint64_t hash = hash_of_address(address);
  return (struct table_entry){
      .order = (uint32_t)(hash >> REST_BITS),
      .rest =
          (uint16_t)((hash & REST_MASK) | (difference >> 4 & 7) << REST_BITS),
      .leaf = leaf | (uint32_t)(difference & 15) << LEAF_BITS};
}

static inline uint32_t
difference_of(const struct table_entry *e)
{
  return (uint32_t)(e->rest >> REST_BITS) << 4 | e->leaf >> LEAF_BITS;
}

/* In the other table all bits beside the hash are the difference. */
static inline struct table_entry
wide_entry_of(uintptr_t address, uint64_t difference)
{
  struct table_entry e = entry_of(address, 0, 0);
  if (difference > WIDE_MOST)
    difference = WIDE_MOST;
  e.rest |= (uint16_t)(difference >> 32 << REST_BITS);
  e.leaf = (uint32_t)difference;
  return e;
}

static inline uint64_t
wide_difference_of(const struct table_entry *e)
{
  return (uint64_t)(e->rest >> REST_BITS) << 32 | e->leaf;
}

static inline bool
is_free(const struct table_entry *e)
{
  return e->order == 0 && (e->rest & REST_MASK) == 0;
}

static inline bool
same_address(const struct table_entry *a, const struct table_entry *b)
{
  return a->order == b->order && ((a->rest ^ b->rest) & REST_MASK) == 0;
}

static inline size_t
place_of(size_t capacity, const struct table_entry *e)
{
  return (size_t)(((uint64_t)e->order * capacity) >> 32);
}

static size_t
bytes_for(size_t capacity)
{
  return (capacity + SLACK) * sizeof(struct table_entry);
}

/* Put `count' entries, which are sorted and lie at the far end of the table,
 * where they belong.  As places only increase, none is overwritten before it
 * is read.  False when the last one finds no place: then they are to be
 * brought to the far end again. */
static bool
spread(struct entry_table *t, size_t count)
{
  /* in registers: what is written could be the table itself */
  struct table_entry *const entries = t->entries;
  const size_t capacity = t->capacity, places = capacity + SLACK;
  size_t next = 0; /* free from here on */
  for (size_t from = places - count; from < places; from++) {
    const struct table_entry e = entries[from];
    size_t place = place_of(capacity, &e);
    if (place < next)
      place = next;
    if (place > from) {
      memset(&entries[next], 0, (from - next) * sizeof e);
      return false;
    }
    if (next < place) { /* by one, mostly */
      entries[next++] = (struct table_entry){0};
      if (next < place)
        memset(&entries[next], 0, (place - next) * sizeof e);
    }
    entries[place] = e;
    next = place + 1;
  }
  memset(&entries[next], 0, (places - next) * sizeof *entries);
  return true;
}

/* Bring the entries of the first `places' to the far end of `t', in their
 * order. */
static void
gather(struct entry_table *t, size_t places)
{
  struct table_entry *const entries = t->entries;
  size_t to = t->capacity + SLACK;
  for (size_t from = places; from-- > 0;)
    if (!is_free(&entries[from]))
      entries[--to] = entries[from];
}

/* A larger table in place, or a new one. */
static bool
grow(struct entry_table *t)
{
  const size_t old_places = t->entries == NULL ? 0 : t->capacity + SLACK;
  size_t capacity =
      t->capacity == 0 ? FIRST_CAPACITY : t->capacity + t->capacity / 3;
  const size_t bytes = bytes_for(capacity);
  void *entries =
      t->entries == NULL
          ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
          : mremap(t->entries, t->mapped_bytes, bytes, MREMAP_MAYMOVE);
  if (entries == MAP_FAILED)
    return false;
  t->entries = entries;
  t->mapped_bytes = bytes;
  t->capacity = capacity;
  if (old_places != 0) {
    gather(t, old_places);
    /* Slack fills up only when hashes are far from even. */
    return spread(t, t->count) || grow(t);
  }
  return true;
}

/* A smaller table, if there is memory for it beside the large one. */
static void
shrink(struct entry_table *t)
{
  struct entry_table small = {.count = t->count};
  size_t to, places = t->capacity + SLACK;
  small.capacity = t->count * 32 / 26 + 1;
  if (small.capacity < FIRST_CAPACITY)
    small.capacity = FIRST_CAPACITY;
  small.mapped_bytes = bytes_for(small.capacity);
  small.entries = mmap(NULL, small.mapped_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (small.entries == MAP_FAILED)
    return;
  to = small.capacity + SLACK;
  for (size_t from = places; from-- > 0;)
    if (!is_free(&t->entries[from]))
      small.entries[--to] = t->entries[from];
  if (!spread(&small, small.count)) {
    munmap(small.entries, small.mapped_bytes);
    return;
  }
  munmap(t->entries, t->mapped_bytes);
  *t = small;
}

/* The first entry whose hash is not smaller, or a free one before that. */
static inline size_t
find_place(const struct entry_table *t, const struct table_entry *e)
{
  const struct table_entry *at = &t->entries[place_of(t->capacity, e)];
  while (!is_free(at) && at->order < e->order)
    at++;
  while (at->order == e->order && !is_free(at) && !same_address(at, e))
    at++;
  return (size_t)(at - t->entries);
}

/* Where the entry with that address is; NULL: nowhere. */
static inline struct table_entry *
table_find(const struct entry_table *t, const struct table_entry *e)
{
  size_t i;
  if (t->entries == NULL)
    return NULL;
  i = find_place(t, e);
  return same_address(&t->entries[i], e) ? &t->entries[i] : NULL;
}

/* Put an entry whose address is not there.  False when there is no memory. */
static bool
table_put(struct entry_table *t, struct table_entry e)
{
  size_t place, end;
  if ((t->entries == NULL || is_full(t)) && !grow(t))
    return false;
  for (;;) {
    const size_t places = t->capacity + SLACK;
    place = find_place(t, &e);
    for (end = place; end < places && !is_free(&t->entries[end]);)
      end++;
    if (end < places - 1) /* the last one stays free: searches end there */
      break;
    if (!grow(t))
      return false;
  }
  memmove(&t->entries[place + 1], &t->entries[place],
          (end - place) * sizeof e);
  t->entries[place] = e;
  t->count++;
  return true;
}

/* Take out the entry at `e' and close the gap. */
static void
table_take(struct entry_table *t, struct table_entry *e)
{
  const size_t capacity = t->capacity;
  struct table_entry *end = e + 1;
  size_t place = (size_t)(end - t->entries);
  while (!is_free(end) && place_of(capacity, end) < place) {
    end++;
    place++;
  }
  memmove(e, e + 1, (size_t)(end - e - 1) * sizeof *e);
  end[-1] = (struct table_entry){0};
  t->count--;
  if (is_sparse(t))
    shrink(t);
}

static void
table_clear(struct entry_table *t)
{
  if (t->entries != NULL)
    munmap(t->entries, t->mapped_bytes);
  *t = (struct entry_table){0};
}

/* ---- objects ---- */

/* What `e' of the one table, and perhaps an entry of the other, say. */
static struct table_object
object_of(const struct object_table *table, const struct table_entry *e,
          size_t usable)
{
  uint64_t difference = difference_of(e);
  if (difference == DIFFERENCE_WIDE) {
    const struct table_entry *wide = table_find(&table->wide, e);
    difference = wide == NULL ? 0 : wide_difference_of(wide);
  }
  return (struct table_object){.leaf = e->leaf & (TABLE_LEAVES - 1),
                               .bytes = usable - difference};
}

static void
forget_wide(struct object_table *table, const struct table_entry *e)
{
  if (difference_of(e) == DIFFERENCE_WIDE) {
    struct table_entry *wide = table_find(&table->wide, e);
    if (wide != NULL)
      table_take(&table->wide, wide);
  }
}

enum table_added
object_table_add(struct object_table *table, uintptr_t address, size_t usable,
                 struct table_object *object)
{
  const size_t difference = usable - object->bytes;
  const bool is_wide = difference >= DIFFERENCE_WIDE;
  struct table_entry e =
      entry_of(address, is_wide ? DIFFERENCE_WIDE : difference, object->leaf);
  struct table_entry *there = table_find(&table->all, &e);
  enum table_added added = TABLE_ADDED;
  if (there != NULL) {
    *object = object_of(table, there, usable);
    forget_wide(table, there);
    added = TABLE_REPLACED;
  }
  if (is_wide && !table_put(&table->wide, wide_entry_of(address, difference)))
    return TABLE_NO_MEMORY;
  if (there != NULL)
    *there = e;
  else if (!table_put(&table->all, e))
    return TABLE_NO_MEMORY;
  return added;
}

bool
object_table_find(const struct object_table *table, uintptr_t address,
                  size_t usable, struct table_object *object)
{
  const struct table_entry key = entry_of(address, 0, 0);
  const struct table_entry *there = table_find(&table->all, &key);
  if (there != NULL)
    *object = object_of(table, there, usable);
  return there != NULL;
}

bool
object_table_remove(struct object_table *table, uintptr_t address,
                    size_t usable, struct table_object *object)
{
  const struct table_entry key = entry_of(address, 0, 0);
  struct table_entry *there = table_find(&table->all, &key);
  if (there == NULL)
    return false;
  *object = object_of(table, there, usable);
  forget_wide(table, there);
  table_take(&table->all, there);
  return true;
}

void
object_table_clear(struct object_table *table)
{
  table_clear(&table->all);
  table_clear(&table->wide);
}

size_t
object_table_bytes(const struct object_table *table)
{
  return table->all.mapped_bytes + table->wide.mapped_bytes;
}
