/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts have in common that make a profile of the image of a Lisp
 * program: samples (recover_lisp.c), their functions (lisp_functions.c), what
 * holds live objects (lisp_holders.c), and comments (lisp_comments.c).
 */

#ifndef MPROF_LISP_RECOVERY_H
#define MPROF_LISP_RECOVERY_H

#include "recover/c_names.h"
#include "recover/image_notes.h"
#include "recover/sample_writer.h"

struct lisp_recovery {
  const struct image *image;
  const struct image_notes *notes;
  const struct image_tree *tree; /* that is written */
  const char *thread;
  struct pprof_stream stream;
  struct sample_writer samples;
  struct c_names names;
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

/* What a location with that site is to those who look at the profile: a
 * function for sample_writer.h. */
enum location_part lisp_location_part(void *recovery, uint64_t site);

/* Puts the locations of all samples, with their functions, and says which of
 * these have calls that are not counted. */
void lisp_put_locations(struct lisp_recovery *recovery);

/* Puts what holds live objects; before all samples.  False: ERROR says why. */
bool lisp_put_holdings(struct lisp_recovery *recovery,
                       struct mprof_error *error);

/* Puts the comments; behind all samples. */
void lisp_put_comments(struct lisp_recovery *recovery);

#endif
