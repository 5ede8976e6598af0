/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sample_writer.h -- the paths of context trees as the samples of a profile.
 *
 * A location is a call site, or where the tree tells calls apart by
 * functions, a function or a line of one.  It is found once.  Locations are
 * numbered in the order of their first use, and what the numbers stand for is
 * written afterwards.
 *
 * Two chains in turn often begin alike.  What they have in common was encoded
 * for the first and is copied for the second; a profile has the leaf first, so
 * it stands at the end.
 *
 * Cost: the bytes of all chains, copied; 60 bytes a context while a tree is
 * written, of which the longest chain alone touches 48.  Not inside the hook;
 * records of the tree do not change meanwhile, but it may grow.
 */
#ifndef MPROF_SAMPLE_WRITER_H
#define MPROF_SAMPLE_WRITER_H

#include <stdint.h>

#include "tree/context_tree.h"
#include "recover/pprof_stream.h"

/* Add the labels of objects of that kind to the message in hand; NULL: those
 * of calls. */
typedef void sample_labels_fn(void *closure, const struct kind *kind);

/* What a location is to those who look at a profile. */
enum location_part {
  LOCATION_SHOWS,
  LOCATION_HIDDEN, /* a function of the runtime */
  LOCATION_ROOT    /* runs a profiled body: neither it nor what calls it
                      shows */
};

/* Encoded numbers, the last one first: so many bytes before the end of an
 * arena. */
struct encoded {
  uint32_t from, to;
};

/* The chain in hand from its root to a context. */
struct chain_part {
  uint32_t context;
  uint32_t length, showing; /* its locations, and how many of them show */
  bool rooted;              /* one is a LOCATION_ROOT */
  struct encoded shown;     /* in `shown_bytes' */
  struct encoded hidden;    /* in `hidden_bytes', as PPROF_SAMPLE_HIDDEN says,
                               but for these counts of the innermost run: */
  uint32_t run_shows, run_hidden;
};

struct sample_writer { /* all zero but for the first part */
  struct pprof_stream *stream;
  sample_labels_fn *put_labels;
  void *closure;

  /* Whether what is at a location shows in other programs: enum
   * location_part; NULL: all does. */
  enum location_part (*part_of)(void *closure, uint64_t at);

  bool shown; /* leave out what does not */

  /* The site of what ran between the function that the call at `site', in
   * `function', called, and the function `callee' below, or an allocation
   * (0), as it left its frame to that; 0: nothing.  NULL: nothing ever. */
  uint64_t (*between)(void *closure, uint64_t site, uint32_t function,
                      uint32_t callee);

  /* What is at the location of the allocator that objects of that kind came
   * from, when it shows; 0: it does not.  NULL: none ever does. */
  uint64_t (*allocator)(void *closure, const struct kind *kind);

  struct intern_table locations; /* what is at one -> its number */
  struct arena parts;            /* uint8_t by location: enum location_part */
  struct arena functions; /* uint32_t by location: as the tree has it */
  uint64_t unattributed_count, unattributed_bytes; /* over the budget */
  uint64_t cut_count; /* objects whose chain begins with SITE_CUT_SHORT */

  /* of the tree that is being written */
  const struct context_tree *tree;
  struct arena known; /* struct context_locations by context */

  /* the chain in hand */
  struct arena chain; /* uint32_t: its locations, the outermost first */
  struct arena parts_of_chain; /* struct chain_part by place; that at 0 has
                                  none */
  uint32_t place_count;
  struct arena shown_bytes, hidden_bytes;

  struct arena labels; /* struct kind_labels: of kinds met lately */
};

/* The encoded labels of objects of a kind, when they are that short. */
struct kind_labels {
  const struct kind *kind;
  uint8_t length; /* 0: not known */
  uint8_t bytes[55];
};

struct context_locations {
  uint32_t site;  /* 0: not looked for yet */
  uint32_t above; /* of what ran between its function and the call of that;
                     0: nothing */
  uint32_t place; /* of its part, when it was last on the chain in hand */
};

/* Write samples of `tree' from now on, of its first contexts, so many. */
void sample_writer_begin(struct sample_writer *w,
                         const struct context_tree *tree,
                         uint32_t context_count);
void sample_writer_end(struct sample_writer *w);

/* When all is written. */
void sample_writer_release(struct sample_writer *w);

/* Write a sample.  Its chain is that of a call at `site' in `function', whose
 * caller is the context `up'; the call itself is left out when `site' is 0.
 * `kind' is that of its objects; NULL: it is one of calls. */
void sample_writer_put(struct sample_writer *w, uint64_t site,
                       uint32_t function, uint32_t up, const uint64_t *values,
                       const struct kind *kind);

/* What is at the location with that number: a site, which is a place with no
 * line if it is a function. */
static inline uint64_t
sample_writer_location(const struct sample_writer *w, uint32_t number)
{
  return intern_table_key(&w->locations, number);
}

/* Its line; `start', where its function begins, if it has none. */
static inline int64_t
sample_writer_line(const struct sample_writer *w, uint32_t number,
                   int64_t start)
{
  const uint64_t at = sample_writer_location(w, number);
  return (at & SITE_PLACE) != 0 && PLACE_LINE(at) != 0
             ? (int64_t)PLACE_LINE(at)
             : start;
}

/* Its address, in a function at `code'. */
static inline uint64_t
sample_writer_address(const struct sample_writer *w, uint32_t number,
                      uint64_t code)
{
  const uint64_t at = sample_writer_location(w, number);
  return code + ((at & SITE_PLACE) != 0 ? PLACE_OFFSET(at) : 0);
}

/* The number of the function that it is in; 0: not known. */
static inline uint32_t
sample_writer_function(const struct sample_writer *w, uint32_t number)
{
  return ((const uint32_t *)w->functions.base)[number];
}

#endif
