/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Limits of growth, for scripts: "5%", "1MiB", "1000allocs".
 *
 *   N%        per cents of all bytes of the old profile
 *   N%allocs  per cents of all its allocations
 *   Nallocs   allocations
 *   N, Nunit  bytes, in B, kB, MB, GB (thousands), KiB, MiB, GiB (1024)
 *
 * N has up to six decimals.  Several limits are separated by commas.  They
 * are compared exactly, without rounding.
 */

#ifndef MPROF_GROWTH_H
#define MPROF_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum growth_kind {
  GROWTH_BYTES,
  GROWTH_ALLOCS,
  GROWTH_BYTE_SHARE, /* per cents of the old total */
  GROWTH_ALLOC_SHARE,
  GROWTH_KINDS
};

struct growth_limits { /* all zero: no limit */
  const char *text;    /* as given; not owned */
  bool set[GROWTH_KINDS];
  uint64_t millionths[GROWTH_KINDS]; /* of one byte, allocation, per cent */
};

/* How two profiles are compared, and what growth is too much. */
struct diff_options {
  bool normalize;              /* scale the old figures */
  struct growth_limits growth; /* of all bytes and allocations */
  struct growth_limits function_growth;
  struct growth_limits kept_growth; /* of all bytes and objects kept */
};

/* Parses TEXT, which must outlive them, into LIMITS; false when it is none of
 * the above. */
bool growth_limits_parse(struct growth_limits *limits, const char *text);

/* Whether the growth from OLD to NEW is beyond the limit of KIND; WHOLE is
 * the old total that shares are shares of. */
bool growth_exceeds(const struct growth_limits *limits, enum growth_kind kind,
                    uint64_t old, uint64_t new, uint64_t whole);

#endif
