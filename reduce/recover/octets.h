/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bytes in memory, to which more are added.  The first failure is kept, and
 * what comes after it does nothing.
 */

#ifndef MPROF_RECOVER_OCTETS_H
#define MPROF_RECOVER_OCTETS_H

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct octets { /* all zero: none */
  uint8_t *bytes; /* owned */
  size_t length, capacity;
  int failed; /* errno of the first failure, or 0 */
};

static inline void
octets_fail(struct octets *octets, int error)
{
  if (octets->failed == 0)
    octets->failed = error;
}

static inline void
octets_put(struct octets *octets, const void *bytes, size_t n)
{
  if (octets->failed != 0 || n == 0)
    return;
  if (!ARRAY_ROOM(octets->bytes, octets->capacity, octets->length + n)) {
    octets_fail(octets, ENOMEM);
    return;
  }
  memcpy(octets->bytes + octets->length, bytes, n);
  octets->length += n;
}

#endif
