/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program allocated over time, and a C program freed.
 *
 * Whoever reads the image of a running program reads it again and again, and
 * keeps by how much the counts of each leaf have grown: a slice of time.  The
 * program does nothing for it.  When the image becomes a profile, the growth
 * of a leaf in a slice becomes a sample with the start of the slice; what
 * came after the last reading is the last slice.  So slices add up to the
 * whole, however late a reading is, and where one fails.
 *
 * There are at most TIMELINE_SLICES, and in all of them at most
 * TIMELINE_GROWTHS growths, or one and a half times the leaves: then slices
 * are joined two by two, and the interval doubles.  So a large profile has at
 * most about three samples where it would have one.
 *
 * What a leaf has allocated until the end of a slice, less what was freed of
 * it, was in use then.  All else has no time: how much of a leaf is kept or
 * was lost is known of all its objects together.
 */

#pragma once

#include "base/pool.h"
#include "images/image_reader.h"

enum { TIMELINE_SLICES = 600, TIMELINE_GROWTHS = 200000 };

/* What the leaf `key', the pair of the owner of its tree and its number,
 * allocated in a slice, and what of it, older objects too, was freed then. */
struct timeline_growth {
  uint64_t key;
  uint32_t slice;
  struct object_count allocated, freed;
};

/* Memory and collections of a program at some time; 0: not known. */
struct timeline_state {
  uint64_t in_use, resident; /* bytes, then */
  uint64_t collections;      /* of garbage, until then */
};

struct timeline_slice {
  uint64_t start;                  /* nanoseconds since the program's start */
  struct timeline_state state;     /* at its end */
  struct timeline_growth *growths; /* by key */
  size_t count, capacity;
};

struct timeline_tree {
  uint32_t owner;
  struct timeline_growth *seen; /* by leaf, at the last reading */
  size_t leaves, grown;         /* how many there are, and count anything */
};

struct timeline {      /* all zero but `interval' and `most': empty */
  struct pool pool;    /* has all memory of it */
  uint64_t interval;   /* shortest slice at first, in nanoseconds */
  size_t most;         /* limit of growths; 0: TIMELINE_GROWTHS */
  unsigned joined;     /* times that the interval has doubled */
  uint64_t generation; /* number that changes when figures are reset */
  uint64_t last;       /* end of the last slice, as timeline_slice.start */
  struct timeline_slice *slices;
  size_t slice_count, slice_capacity;
  struct timeline_tree *trees;
  size_t tree_count, tree_capacity;
  struct timeline_state state; /* at the last reading */
};

/* Ends a slice NOW, nanoseconds since the start, unless it would be shorter
 * than the interval, less a quarter of the first one.  The leaves of IMAGE
 * have their counts, and those of a C program COUNTERS, else NULL; these
 * replace state.in_use.  Another GENERATION than before means that figures
 * were reset: all slices are forgotten, and one begins where the last ended.
 */
void timeline_take(struct timeline *timeline, const struct image *image,
                   const struct leaf_counters *counters, uint64_t generation,
                   uint64_t now, struct timeline_state state);

/* Reads the image of a program that runs, and ends a slice NOW as
 * timeline_take does: the file PATH of a C program, or OCTETS, called PATH,
 * of a Lisp program, which has collected garbage COLLECTIONS times.  Never
 * fails: if the image cannot be read, the slice goes on. */
void timeline_read(struct timeline *timeline, const char *path,
                   struct input_octets octets, uint64_t generation,
                   uint64_t now, uint64_t collections);

/* Returns the growths of all leaves in order of key and slice, in memory of
 * the pool in use; sets *COUNT to how many there are. */
struct timeline_growth *timeline_growths(const struct timeline *timeline,
                                         size_t *count);

/* Frees all of TIMELINE, which is empty then. */
void timeline_release(struct timeline *timeline);
