/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts have in common that make a profile of the image of a Lisp
 * program: samples (recover_lisp.c), their functions (lisp_functions.c), what
 * holds live objects (lisp_holders.c), and comments (lisp_comments.c).
 */

#ifndef MPROF_LISP_RECOVERY_H
#define MPROF_LISP_RECOVERY_H

#include "recover/building.h"
#include "recover/c_names.h"
#include "recover/lisp_source.h"

struct lisp_recovery {
  const struct image *image;
  const struct image_notes *notes;
  struct building building;
  const char *thread; /* of the tree whose samples are added */
  struct c_names names;
  struct source_text source; /* the file that a line was looked for in last */
  struct index_map known, unknown; /* names of functions, by their calls */
  struct region_table regions;
  uint64_t allocations, bytes, contexts, threads;
  uint64_t classless; /* objects of a class that has no name */
};

/* The type of objects of that kind, its class and category; NULL: there is
 * none, or it is not known. */
const char *lisp_type_name(const struct lisp_recovery *recovery,
                           const struct kind *kind);
const char *lisp_class_name(const struct lisp_recovery *recovery,
                            const struct kind *kind);
unsigned lisp_category(const struct lisp_recovery *recovery,
                       const struct kind *kind);
const char *lisp_category_name(unsigned category);

struct lisp_function {
  const char *name, *system_name, *file; /* NULL: it is in no file */
  int64_t position; /* in bytes; -1: not known */
  uint64_t code, flags; /* sum of enum note_flag */
};

/* The function with that number; ROOM may get its name. */
struct lisp_function lisp_function_at(struct lisp_recovery *recovery,
                                      uint32_t number, char room[300]);

/* For building_source: adds the location of a site, and its function. */
uint32_t lisp_location(void *recovery, uint64_t site, uint32_t function);

/* Says which functions have calls that are not counted, when all samples are
 * there. */
void lisp_add_unknown_calls(struct lisp_recovery *recovery);

/* Adds what holds live objects; before all samples.  False: ERROR says why. */
bool lisp_add_holdings(struct lisp_recovery *recovery,
                       struct mprof_error *error);

/* Adds the comments; behind all samples. */
void lisp_add_comments(struct lisp_recovery *recovery);

#endif
