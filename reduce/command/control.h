/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that `mprof run' runs, or has attached to, is asked while it runs
 * (common/control_page.h): for its figures, for a profile of now, to count or
 * not to.
 *
 * Any thread may ask; one does at a time, and the others wait.  Each request
 * ends at the latest when its time is up.  One that the program has not begun
 * by then is taken back.
 */

#ifndef MPROF_CONTROL_H
#define MPROF_CONTROL_H

#include "base/mprof_error.h"
#include "common/control_page.h"
#include "pprof/profile.h"
#include "symbols/code_names.h"

#include <pthread.h>
#include <stdbool.h>

struct control {
  pthread_mutex_t one;        /* who asks has it */
  int file;                   /* that both have */
  char path[64];              /* by which the program finds it */
  struct control_page *page;  /* of it */
  struct code_names names;    /* that profiles were given */
  const char *ended;          /* the file of a program that has ended, or NULL */
};

/* Makes CONTROL ready; a program is then to be run with its path in
 * MPROF_CONTROL.  False: ERROR says why, and there is nothing to close. */
bool control_open(struct control *control, struct mprof_error *error);
void control_close(struct control *control);

/* The program has ended; what it wrote last is in FILE, which outlives
 * CONTROL: that is what a snapshot is from now on. */
void control_program_ended(struct control *control, const char *file);

/* Sets FIGURES to what the program has counted until now; before that it does
 * what REQUEST says, which is no snapshot.  False: ERROR says why not, such as
 * that it has ended, or gave no answer in so many MILLISECONDS. */
bool control_ask(struct control *control, enum control_request request,
                 unsigned milliseconds, struct control_figures *figures,
                 struct mprof_error *error);

/* Reads into PROFILE what the program would write now, with names for its
 * addresses; LOSSLESS is for what writes it anew (pprof/reader.h).  Code that
 * an earlier profile had is not looked up again.  Release PROFILE even if
 * this is false. */
bool control_snapshot(struct control *control, bool lossless,
                      unsigned milliseconds, struct profile *profile,
                      struct mprof_error *error);

#endif
