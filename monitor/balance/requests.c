/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * requests.c -- the collector's rounding.
 *
 * The collector has size classes up to half a page.  Which one a size falls
 * into depends on what was asked for before, so the collector's own map is
 * read.  It changes no more once each class has been asked for, as it has when
 * ECL has started: there it is read at the end.
 */
#include "balance/requests.h"

#include <gc/gc.h>

uint64_t
request_rounded_bytes(size_t bytes)
{
  const size_t size_class =
      bytes > LEAF_MAX_SIZE ? 0 : GC_get_size_map_at((int)bytes);
  const size_t granules =
      bytes == 0
          ? 1
          : (bytes + REQUEST_GRANULE_BYTES - 1) / REQUEST_GRANULE_BYTES;
  return size_class == 0 || size_class == (size_t)-1
             ? granules * REQUEST_GRANULE_BYTES
             : size_class;
}

uint64_t
requests_rounded_bytes(const struct requests *requests)
{
  uint64_t sum = requests->large_bytes;
  for (size_t g = 1; g < REQUEST_GRANULES; g++) {
    const size_t bytes = g * REQUEST_GRANULE_BYTES;
    size_t rounded;
    if (requests->granules[g] == 0)
      continue;
    rounded = GC_get_size_map_at((int)bytes);
    if (rounded == 0 || rounded == (size_t)-1)
      rounded = bytes;
    sum += requests->granules[g] * rounded;
  }
  return sum;
}
