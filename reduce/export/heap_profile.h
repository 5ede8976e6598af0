/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles as engines for many of them expect them: as Go's runtime writes a
 * heap profile.  What is asked of one:
 *
 *  - the sample types alloc_objects, alloc_space, inuse_objects, inuse_space,
 *    and no fifth: who makes differences of them has room for four values
 *    (github.com/DataDog/go-fastdelta; grafana/pyroscope-go, godeltaprof);
 *  - no labels with text, each of which would be one of the whole series
 *    (grafana/pyroscope, pkg/distributor); for these the type of an object is
 *    a frame below its function, while for pprof it is a label, so that
 *    functions have the flat figures;
 *  - an address for each location that no other has, and that it has in the
 *    next profile as well: samples are told apart by these (go-fastdelta);
 *  - one mapping that has functions, files and lines, or else pprof looks for
 *    symbols (google/pprof, internal/symbolizer);
 *  - ids that count from 1 (parca-dev/parca, pkg/normalizer);
 *  - period space/bytes 1 (grafana/pyroscope, pkg/ingester/pprof).
 *
 * Differences are made here: what is added with a sign is taken away.  A
 * sample is a distinct chain of frames that show, and a type; those of which
 * nothing is left are not written.
 */

#ifndef MPROF_HEAP_PROFILE_H
#define MPROF_HEAP_PROFILE_H

#include "analysis/selection.h"
#include "base/sink.h"

/* The sample types, and bits for them. */
enum heap_column {
  HEAP_ALLOC_OBJECTS,
  HEAP_ALLOC_SPACE,
  HEAP_INUSE_OBJECTS,
  HEAP_INUSE_SPACE,
  HEAP_COLUMNS
};
enum {
  HEAP_ALLOC = 1 << HEAP_ALLOC_OBJECTS | 1 << HEAP_ALLOC_SPACE,
  HEAP_INUSE = 1 << HEAP_INUSE_OBJECTS | 1 << HEAP_INUSE_SPACE,
  HEAP_ALL = HEAP_ALLOC | HEAP_INUSE
};

/* How many frames a chain has at most; of a longer one the outermost are left
 * out.  (grafana/pyroscope, max-profile-stacktrace-depth, is 1000.) */
enum { HEAP_MOST_FRAMES = 990 };

/* Addresses of locations are below it. */
#define HEAP_ADDRESS_LIMIT (UINT64_C(1) << 62)

/* Set in the item of a node that is a type; the rest is a location. */
#define HEAP_TYPE (UINT32_C(1) << 31)

struct heap_profile {
  struct profile profile;          /* in whose tree a type is a leaf */
  struct index_map addresses;      /* of locations */
  int64_t (*values)[HEAP_COLUMNS]; /* by node of its tree */
  size_t value_capacity;
  uint32_t *samples; /* nodes of which something is left: heap_profile_end */
  size_t sample_count;
};

/* Makes HEAP an empty one, in the pool in use. */
void heap_profile_init(struct heap_profile *heap);

/* Adds what SELECTION keeps, or with SIGN -1 takes it away, in COLUMNS, bits
 * of the above; in the pool of HEAP, which has to be in use. */
void heap_profile_add(struct heap_profile *heap,
                      const struct selection *selection, int sign,
                      unsigned columns);

/* All is added, for now: finds the samples. */
void heap_profile_end(struct heap_profile *heap);

/* The sum of COLUMN over COUNT samples from FIRST on. */
int64_t heap_profile_sum(const struct heap_profile *heap, size_t first,
                         size_t count, enum heap_column column);

/* How a profile is written. */
struct heap_writing {
  enum heap_column shown; /* comes first to a reader */
  unsigned columns;       /* bits of those that are not to be all 0 */
  bool type_frames;       /* types are frames, not labels */
  int64_t time_nanos;     /* since 1970 */
  int64_t duration_nanos; /* before that; 0 for sums */
  const char *comments;   /* one a line; NULL: none */
};

/* Writes COUNT samples from FIRST on, compressed. */
void heap_profile_write(const struct heap_profile *heap, size_t first,
                        size_t count, const struct heap_writing *how,
                        struct sink *sink);

#endif
