/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * requests.h -- what the collector was asked for, and what it counts for it.
 *
 * Model.  The hook is told of objects, the collector of requests.  An object,
 * as the hook was told of it, is one request but for a split instance: that
 * is one for the header and one for the slots.  (The body of an array comes
 * as an event, and is a request, of its own.)
 *
 * Most requests need not be counted: they follow from the number and size of
 * a leaf's objects.  Requests for large objects, whose leaf has no size, and
 * for objects in pieces (LEAF_PIECES), whose size is a sum, are added up when
 * they are made.
 *
 * Size classes.  The collector rounds a request up to granules, and these to
 * one of its classes, of which it has a map.  What class a size belongs to can
 * change when the first request of another size is made; not once each class
 * has been asked for, as it has when ECL has started.
 *
 * Takes no lock: a sum belongs to one thread.  May run inside the hook. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>
#include <gc/gc_tiny_fl.h>

#include "tree/context_tree.h"

struct requests { /* all zero: none */
  uint64_t rounded_bytes; /* of requests to the collector, as it rounds */
  uint64_t malloc_bytes;  /* of requests to malloc, not rounded */
};

/* Returns the bytes that the collector counts for a request of `bytes'.  That
 * size must have been requested before. */
static inline uint64_t
collector_rounded_bytes(size_t bytes)
{
  const size_t granules =
      bytes == 0 ? 1 : (bytes + GC_GRANULE_BYTES - 1) / GC_GRANULE_BYTES;
  const size_t size_class =
      bytes > LEAF_MAX_SIZE ? 0 : GC_get_size_map_at((int)bytes);
  return size_class == 0 || size_class == (size_t)-1
             ? granules * GC_GRANULE_BYTES
             : size_class;
}

/* Adds `count' requests to the collector, of `bytes' each. */
static inline void
requests_add(struct requests *r, size_t bytes, uint64_t count)
{
  r->rounded_bytes += count == 0 ? 0 : count * collector_rounded_bytes(bytes);
}

/* Adds the requests for `count' objects, each of `bytes' and of the type
 * `what' (classify.h), as the hook was told.  Plain malloc memory is added to
 * malloc_bytes. */
static inline void
requests_add_objects(struct requests *r, size_t what, size_t bytes,
                     uint64_t count)
{
  if ((what & ECL_ALLOCATED_MALLOC) != 0) {
    r->malloc_bytes += count * bytes;
    return;
  }
  if ((what & ECL_ALLOCATED_SPLIT) != 0) {
    requests_add(r, sizeof(struct ecl_instance), count);
    bytes -= sizeof(struct ecl_instance);
  }
  requests_add(r, bytes, count);
}

/* Returns true if the requests for objects of that kind follow from their
 * number and size; false if the hook adds them one by one. */
static inline bool
requests_told_by(const struct kind *kind)
{
  return (kind->what & LEAF_PIECES) == 0 && kind->size <= LEAF_MAX_SIZE;
}
