/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector_tables.c -- see the header for the model.
 */
#include "balance/collector_tables.h"

#include <gc/gc.h>
#include <stdbool.h>
#include <stddef.h>

#include "balance/requests.h"

enum { MOST_BITS = 32 };

/* As libgc has it, of long and of short weak links, and of finalizers. */
struct link_table {
  void *places; /* NULL: there is none yet */
  uintptr_t entries;
  unsigned bits; /* of the number of places */
};

struct tables {
  struct link_table links[2];
  struct {
    void *places;
    void *ready; /* finalizers that are to be run */
    unsigned bits;
  } finalizers;
};

static size_t
bytes_of(unsigned bits)
{
  return sizeof(void *) << bits;
}

/* Is it the beginning of an object for a table of that size? */
static bool
is_table(void *places, unsigned bits)
{
  return bits >= 1 && bits <= MOST_BITS && GC_is_heap_ptr(places) &&
         GC_base(places) == places && GC_size(places) >= bytes_of(bits) &&
         GC_size(places) < bytes_of(bits + 1);
}

/* A table grows when there is one entry more than places. */
static bool
is_link_table(const struct link_table *t)
{
  return t->places == NULL
             ? t->entries == 0 && t->bits == 0
             : t->bits <= MOST_BITS &&
                   t->entries <= ((uintptr_t)1 << t->bits) + 1 &&
                   is_table(t->places, t->bits);
}

static bool
are_tables(const struct tables *t)
{
  return is_table(t->finalizers.places, t->finalizers.bits) &&
         (t->finalizers.ready == NULL ||
          GC_is_heap_ptr(t->finalizers.ready)) &&
         is_link_table(&t->links[0]) && is_link_table(&t->links[1]);
}

static const struct tables *
find(uintptr_t start, uintptr_t end)
{
  static const struct tables *found;
  if (found != NULL)
    return are_tables(found) ? found : NULL;
  for (; start + sizeof *found <= end; start += sizeof(void *))
    if (are_tables((const struct tables *)start))
      return found = (const struct tables *)start;
  return NULL;
}

/* The first table has two places. */
static void
add_tables(struct requests *requests, unsigned bits)
{
  for (; bits > 0; bits--)
    requests_add(requests, bytes_of(bits), 1);
}

int64_t
collector_tables_bytes(uintptr_t start, uintptr_t end)
{
  const struct tables *const t = find(start, end);
  struct requests requests = {0};
  if (t == NULL)
    return -1;
  add_tables(&requests, t->links[0].bits);
  add_tables(&requests, t->links[1].bits);
  add_tables(&requests, t->finalizers.bits);
  return (int64_t)requests_rounded_bytes(&requests);
}
