/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile while it is built from an image: building.c adds what is common
 * to all, recover_c.c and recover_lisp.c the figures of a C and a Lisp
 * program.
 *
 * A location is a call site, or where the tree tells calls apart by
 * functions, a function or a line of one.  A context becomes one node of the
 * profile's tree when a sample first needs it: so building costs a step for
 * each context and each sample, however long their chains are.
 */

#pragma once

#include "images/image_reader.h"
#include "profile/reading.h"
#include "tree/context_tree.h"
#include "tree/region_table.h"

struct building;

/* What is known of a context. */
struct building_context {
  uint32_t node; /* TREE_ROOT: no sample needed it yet */
  bool is_cut;   /* its chain begins with SITE_CUT_SHORT */
};

/* Functions that know what the numbers of an image stand for. */
struct building_source {
  /* Adds the labels of objects of that KIND to the sample in hand; NULL:
   * those of calls. */
  void (*labels)(struct building *building, const struct kind *kind);

  /* Adds the location of a call at SITE with all that it needs, once for each
   * site.  Returns its number in the profile. */
  uint32_t (*location)(struct building *building, uint64_t site);

  /* Returns the site of the allocator that objects of that kind came from, or
   * 0 if it does not show.  NULL: none ever does. */
  uint64_t (*allocator)(struct building *building, const struct kind *kind);
};

struct building {
  const struct image *image;
  struct image_notes notes; /* of the image, as are these: */
  struct region *regions;   /* whose texts end */
  size_t region_count;
  struct reading reading; /* knows the profile and the options */
  uint64_t columns;       /* bit i: samples have that of enum pprof_column */
  uint64_t unattributed_count, unattributed_bytes; /* over the budget */
  uint64_t cut_count; /* objects whose chain begins with SITE_CUT_SHORT */

  struct timeline_growth *growths; /* of the image's timeline */
  size_t growth_count;
  uint64_t time; /* of samples of objects, if there is a timeline */

  const struct building_source *source;
  struct index_map sites; /* location by site */

  /* of the tree whose samples are added */
  const struct context_tree *tree;
  uint32_t owner; /* its */
  struct building_context *contexts;
  struct numbers callers; /* of the context in hand that have no node yet */
  uint32_t *labels; /* by kind: number of its set of labels + 1, 0: not made;
                       the last is for samples of calls */

  /* of a C program */
  struct c_counters counters;
  uint32_t *mappings; /* of the profile, by module */

  /* of a Lisp program */
  struct code_names *code; /* files that it had */
  const char *thread;      /* name of the thread whose tree is in hand */
  char *name; /* memory of the last result of lisp_function_at, or NULL */
  struct {
    char *path, *text;
    size_t size;
  } file; /* the one that a line was looked for in last */
  struct index_map known, unknown; /* names of functions whose calls are
                                      counted, and are not */
  uint64_t allocations, bytes, paths, threads; /* sums over all trees */
  uint64_t classless; /* objects of a class that has no name */
};

/* Add the figures of the image of a Lisp or a C program, which BUILDING has
 * with its notes.  Fail if the image is damaged. */
void recover_lisp(struct building *building);
void recover_c(struct building *building, struct image *image);

/* Begins the profile of the image, whose samples have COLUMNS, bits as in the
 * field; adds comments on the slices of its timeline, if it has one.
 * building_end checks sums and comments against each other, and completes the
 * profile; it fails if they differ. */
void building_begin(struct building *building, enum language language,
                    uint64_t columns);
void building_end(struct building *building);

/* Takes TREE as that of the samples that follow. */
void building_tree(struct building *building, const struct image_tree *tree);

/* Adds a sample.  Its chain is that of a call at SITE, whose caller is the
 * context UP; the call itself is left out when SITE is 0.  VALUES go by enum
 * pprof_column.  KIND is that of its objects; NULL: it is one of calls.
 */
void building_sample(struct building *building, uint64_t site, uint32_t up,
                     const uint64_t *values, const struct kind *kind);

/* Adds samples for the leaf NUMBER of the tree in hand; the context UP is its
 * caller: a sample for each slice of the image's timeline, if it has one,
 * else one. */
void building_leaf(struct building *building, uint32_t number, uint32_t up,
                   const uint64_t *values);

/* Adds comments on the slices of the image's timeline, which it has. */
void building_timeline(struct building *building);

/* Adds a sample whose chain ends at NODE, and that was begun by sample_begin;
 * LABELS as for sample_add, or NULL: those in hand. */
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
 * entered or left; FREES: what it held at its end is known. */
void building_regions(struct building *building, bool frees);

/* Returns the number of the name TEXT. */
uint32_t building_name(struct building *building, const char *text);

/* A function of the program. */
struct building_function {
  const char *name, *system_name;
  const char *file;     /* NULL: it is in no file */
  int64_t position;     /* in bytes; -1: not known */
  uint64_t code, flags; /* sum of enum note_flag */
};

/* Adds FUNCTION, which begins on the line START, and its location ADDRESS on
 * LINE, and returns the number of this; 0: not known. */
uint32_t building_location(struct building *building, uint64_t address,
                           const struct building_function *function,
                           int64_t start, int64_t line);

/* ---- Lisp: recover_lisp.c, lisp_functions.c, lisp_holders.c ---- */

/* The type of objects of one kind. */
struct object_type {
  const char *type;
  const char *class; /* NULL: it has none, or it is not known */
  unsigned category; /* enum category of the monitor (classify.h): 0 to 3 */
};

/* Adds labels to the sample in hand. */
void object_type_label(struct building *building, struct object_type type);

/* Returns the type of objects of KIND. */
struct object_type lisp_type_of(const struct building *building,
                                const struct kind *kind);

/* Returns the function with that NUMBER, called "[unknown]" if it is not
 * known.  Its texts are valid until the next one is asked for. */
struct building_function lisp_function_at(struct building *building,
                                          uint32_t number);

/* Adds the location of SITE, and its function, for building_source.  Returns
 * the location's number. */
uint32_t lisp_location(struct building *building, uint64_t site);

/* Adds samples of what holds live objects.  To be called before all others.
 */
void lisp_add_holdings(struct building *building);
