/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state shared by the parts that make a profile of the image of a Lisp
 * program: samples and comments (recover_lisp.c), functions
 * (lisp_functions.c), and what holds live objects (lisp_holders.c).
 */

#pragma once

#include "images/building.h"

struct lisp_recovery {
  struct building *b;
  const struct image_notes *notes; /* of b */
  const char *thread; /* name of the thread whose tree is in hand */
  char *name; /* memory of the last result of lisp_function_at, or NULL */
  struct {
    char *path, *text;
    size_t size;
  } source; /* the file that a line was looked for in last */
  struct index_map known, unknown; /* names of functions whose calls are
                                      counted, and are not */
  uint64_t allocations, bytes, contexts, threads; /* sums over all trees */
  uint64_t classless; /* objects of a class that has no name */
};

/* The type of objects of one kind. */
struct object_type {
  const char *type;
  const char *class; /* NULL: it has none, or it is not known */
  unsigned category; /* enum category of the monitor (classify.h): 0 to 3 */
};

/* Adds labels to the sample in hand. */
void object_type_label(struct building *building, struct object_type type);

/* Returns the type of objects of KIND. */
struct object_type lisp_type_of(const struct lisp_recovery *recovery,
                                const struct kind *kind);

struct lisp_function {
  const char *name, *system_name; /* valid until the next one is asked for */
  const char *file;               /* NULL: it is in no file */
  int64_t position;               /* in bytes; -1: not known */
  uint64_t code, flags;           /* sum of enum note_flag */
};

/* Returns the function with that NUMBER, called "[unknown]" if it is not
 * known. */
struct lisp_function lisp_function_at(struct lisp_recovery *recovery,
                                      uint32_t number);

/* Adds the location of a site, and its function, for building_source.
 * Returns the location's number. */
uint32_t lisp_location(void *recovery, uint64_t site, uint32_t function);

/* Notes in the profile which functions have calls that are not counted.  To
 * be called when all samples are there. */
void lisp_add_unknown_calls(struct lisp_recovery *recovery);

/* Adds samples of what holds live objects.  To be called before all others.
 */
void lisp_add_holdings(struct lisp_recovery *recovery);
