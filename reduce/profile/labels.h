/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What samples say of their objects: labels, and with the values what type
 * and size the objects are of.
 *
 * Samples share their labels: equal ones are one set, a row of words in the
 * profile's label_rows, and what it says is read when the row is new.  Types,
 * threads and regions are numbered as they first appear in labels.
 *
 * In Lisp the category of a type is a label.  In C programs it follows from
 * the size, which samples with equal labels can have differently where
 * another program counted them; so a set has a type for each category.
 */

#pragma once

#include "common/phase.h"
#include "profile/measure.h"

struct profile;

/* What categories mean: kinds of object for Lisp, sizes for C. */
enum language { LANGUAGE_C, LANGUAGE_LISP };

enum { CATEGORY_COUNT = 4 };

/* The letter ("c") and the name ("cons", "small") of a category. */
extern const struct category {
  const char *letter, *name;
} category_rows[LANGUAGE_LISP + 1][CATEGORY_COUNT];

/* What an object is; CATEGORY indexes the breakdown columns. */
struct profile_type {
  unsigned category;
  uint32_t type;       /* name id, 0 when not known */
  uint32_t class_name; /* name id, 0 for objects without a class */
};

/* What a set of labels says.  As they stand in the file they are a row of
 * label_rows: a word of enum label_source, then for each label its key, text,
 * number and unit; all but the number are name ids. */
struct profile_labels {
  uint32_t types[CATEGORY_COUNT]; /* indices into types, INDEX_NONE: not
                                     needed yet; in Lisp all are the same */
  uint32_t type, class_name;      /* name ids */
  uint32_t thread, region;        /* indices into threads and regions */
  enum phase phase; /* as the file states it; PHASE_COUNT: the chain tells */
  uint64_t text;    /* bytes of all texts */
  int64_t time;     /* start of the slice, in nanoseconds since the program's
                       start; -1: not known */
  uint64_t source;  /* sum of enum label_source */
  bool has_bytes;   /* a label says BYTES */
  uint64_t bytes;   /* size of one object */
};

enum { LABEL_WORDS = 4 }; /* of one label in a row */

enum label_source {
  LABELS_BY_MPROF = 1,
  LABELS_COUNT_OBJECTS = 2, /* the file has a column for these */
  LABELS_OF_LISP = 4
};

/* How large the objects of a sample are. */
enum size_kind {
  SIZE_EXACT,  /* object_bytes each, or their mean in other programs' files */
  SIZE_LARGE,  /* different sizes, each above 2048 bytes */
  SIZE_GROWTH, /* no object: the body of an existing one grew */
  SIZE_UNKNOWN /* nobody counted the objects */
};

/* A sample as analysis sees it: see profile_count. */
struct sample_count {
  uint64_t counts[MEASURE_COUNT];
  enum measure weight;   /* that categories add up: bytes, or objects */
  uint64_t calls;        /* of the leaf's function below this chain */
  uint64_t object_bytes; /* of one object; see size_kind */
  enum size_kind size_kind;
  uint32_t type; /* index into types; INDEX_NONE: not settled */
};

/* Returns the number of the set of labels that the COUNT words at ROW are, an
 * index into labels; adds the set if it is new. */
uint32_t profile_labels(struct profile *profile, const uint64_t *row,
                        size_t count);

/* Sets COUNT to what the sample I counts; its weight is bytes. */
void profile_count(const struct profile *profile, size_t i,
                   struct sample_count *count);

/* Finds the type of the objects of the sample I, and adds it if it is new.
 * Until then the type of profile_count may be INDEX_NONE. */
void profile_settle_type(struct profile *profile, size_t i);
