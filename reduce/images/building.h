/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile while it is built from an image.
 *
 * A location is a call site, or where the tree tells calls apart by
 * functions, a function or a line of one.  The building's source is asked for
 * the location of each site once.  A context becomes one node of the
 * profile's tree when a sample first needs it: so building costs a step for
 * each context and each sample, however long their chains are.
 */

#pragma once

#include "images/image_reader.h"
#include "profile/reading.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

struct building;

/* Functions that know what the numbers of an image stand for.  CLOSURE is
 * that of the building. */
struct building_source {
  /* Adds the labels of objects of that KIND to the sample in hand; NULL:
   * those of calls. */
  void (*labels)(void *closure, const struct kind *kind);

  /* Adds the location of a call at SITE, which is in FUNCTION, with all that
   * it needs.  Returns its number in the profile. */
  uint32_t (*location)(void *closure, uint64_t site, uint32_t function);

  /* Returns the site of the allocator that objects of that kind came from, or
   * 0 if it does not show.  NULL: none ever does. */
  uint64_t (*allocator)(void *closure, const struct kind *kind);
};

struct building {
  const struct image *image;
  struct image_notes notes; /* of the image, as are these: */
  struct region *regions;   /* whose texts end */
  size_t region_count;
  struct reading reading;  /* knows the profile and the options */
  struct code_names *code; /* files that the program had */
  uint64_t columns;        /* bit i: samples have that of enum pprof_column */
  uint64_t unattributed_count, unattributed_bytes; /* over the budget */
  uint64_t cut_count; /* objects whose chain begins with SITE_CUT_SHORT */

  struct timeline_growth *growths; /* of the image's timeline */
  size_t growth_count;
  uint64_t time; /* of samples of objects, if there is a timeline */

  const struct building_source *source;
  void *closure;
  struct index_map sites; /* location by site */

  /* of the tree whose samples are added */
  const struct context_tree *tree;
  struct building_context *contexts;
  struct numbers callers; /* of the context in hand that have no node yet */
  uint32_t *labels; /* by kind: number of its set of labels + 1, 0: not made;
                       the last is for samples of calls */
};

/* Add the figures of the image of a Lisp or a C program, which BUILDING has
 * with its notes.  Fail if the image is damaged. */
void recover_lisp(struct building *building);
void recover_c(struct building *building, struct image *image);

/* Begins the profile of the image, whose samples have COLUMNS, bits as in the
 * field.  building_end checks sums and comments against each other, and
 * completes the profile; it fails if they differ. */
void building_begin(struct building *building, enum language language,
                    uint64_t columns);
void building_end(struct building *building);

/* Takes TREE as that of the samples that follow. */
void building_tree(struct building *building,
                   const struct context_tree *tree);

/* Adds a sample.  Its chain is that of a call at SITE in FUNCTION, whose
 * caller is the context UP; the call itself is left out when SITE is 0.
 * VALUES go by enum pprof_column.  KIND is that of its objects; NULL: it is
 * one of calls.
 */
void building_sample(struct building *building, uint64_t site,
                     uint32_t function, uint32_t up, const uint64_t *values,
                     const struct kind *kind);

/* Adds samples for the leaf NUMBER of the tree in hand, which is OWNER's; the
 * context UP is its caller: a sample for each slice of the image's timeline,
 * if it has one, else one. */
void building_leaf(struct building *building, uint32_t owner, uint32_t number,
                   uint32_t up, const uint64_t *values);

/* Adds comments on the slices of the image's timeline, if it has one.  To be
 * called before building_leaf. */
void building_timeline(struct building *building);

/* Returns the node of the context NUMBER, or TREE_ROOT if no sample needed
 * it. */
uint32_t building_node(const struct building *building, uint32_t number);

/* Adds a sample whose chain ends at NODE, and that was begun by
 * sample_begin; LABELS as for sample_add, or NULL: those in hand.
 */
void building_put(struct building *building, uint32_t node, uint32_t *labels,
                  const uint64_t *values);

/* Adds the label KEY with TEXT, or with a number of UNIT, to the sample in
 * hand. */
void building_label(struct building *building, const char *key,
                    const char *text);
void building_number_label(struct building *building, const char *key,
                           uint64_t number, const char *unit);

/* Adds a label for the region NUMBER, unless that is 0. */
void building_region_label(struct building *building, uint32_t number);

/* Adds the comments KEY=TEXT and KEY=N. */
void building_comment(struct building *building, const char *key,
                      const char *text);
void building_count(struct building *building, const char *key, uint64_t n);

/* Adds a comment mprof.region, see mprof-formats(5), on each region that was
 * entered; FREES: what it held at its end is known. */
void building_regions(struct building *building, bool frees);

/* Adds a function, whose FILE may be NULL, and returns its number. */
uint32_t building_function(struct building *building, const char *name,
                           const char *system_name, const char *file,
                           int64_t line);

/* Adds a location and returns its number; FUNCTION and MAPPING are numbers,
 * or INDEX_NONE. */
uint32_t building_location(struct building *building, uint32_t mapping,
                           uint64_t address, uint32_t function, int64_t line);

/* Returns the number of the name TEXT. */
uint32_t building_name(struct building *building, const char *text);
