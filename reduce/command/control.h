/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that `mprof run' runs, or has attached to, is looked at while it
 * runs: its image (recover/image_reader.h) is read, for its figures or for a
 * profile of now, and a request is left there, to count or not to, which the
 * program obeys before it counts its next allocation.
 *
 * Any thread may ask; one does at a time, and the others wait.
 */

#ifndef MPROF_CONTROL_H
#define MPROF_CONTROL_H

#include "base/mprof_error.h"
#include "pprof/profile.h"
#include "symbols/code_names.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct control_figures {
  bool counting;
  uint64_t counting_since; /* that it does, or does not; ns, real time */
  uint64_t figures_since;  /* which the figures are of; the same */
  uint64_t allocations, bytes, peak_bytes;
  uint64_t contexts;
  uint64_t overflows; /* allocations over the budget */
};

struct run_files;

struct control {
  pthread_mutex_t one;     /* who asks has it */
  const char *file;        /* the image */
  struct run_files *files; /* with its timeline; NULL: it has none */
  struct code_names names; /* files that profiles have addresses in */
  struct pool names_pool;
  bool ended;                     /* the program has */
  struct control_figures figures; /* as it said last */
};

/* Sets PATH to the image that the process NAME counts in; to NAME, if that is
 * no number. */
void control_find_image(const char *name, char path[PATH_MAX]);

/* Makes CONTROL that of the program that counts in FILE, which outlives it.
 * DELETED is as in struct code_names. */
void control_open(struct control *control, const char *file,
                  const char *deleted);
void control_close(struct control *control);

/* The program has ended. */
void control_program_ended(struct control *control);

/* Leaves REQUEST (enum count_request; 0: none), and sets FIGURES to what the
 * program has counted until now.  False: ERROR says why not, such as that it
 * has ended, and FIGURES are as it said last. */
bool control_ask(struct control *control, uint32_t request,
                 struct control_figures *figures, struct mprof_error *error);

/* Reads into PROFILE what the program has counted until now, with names for
 * its addresses; LOSSLESS is for what writes it anew (pprof/reader.h).  Files
 * of code that an earlier profile had are not read again. */
void control_snapshot(struct control *control, bool lossless,
                      struct profile *profile);

#endif
