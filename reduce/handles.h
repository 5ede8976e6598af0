/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the entry points of mprof.h give out.  Each has a pool of its own. */

#ifndef MPROF_HANDLES_H
#define MPROF_HANDLES_H

#include "base/pool.h"
#include "pprof/profile.h"
#include "base/sink.h"
#include "mprof.h"
#include "recover/timeline.h"

#include <pthread.h>

/* What mprof_profile_open gives out. */
struct handle {
  struct pool pool; /* which the profile is in */
  struct profile profile;
  struct mprof_error error; /* why it could not be opened, if so */
};

/* A handle of the profile that FILL makes with CLOSURE, in an attempt in the
 * handle's pool.  NULL: ERROR says why not. */
typedef void profile_fill(struct profile *profile, void *closure);
void *profile_handle(profile_fill *fill, void *closure,
                     struct mprof_error *error);

/* What mprof_timeline_open gives out. */
struct timeline_handle {
  pthread_mutex_t one; /* who uses it has it */
  struct timeline timeline;
};

/* What mprof_run_command gives out. */
struct result {
  struct pool pool; /* which the texts are in */
  int status;
  const char *output; /* NULL when memory ran out */
  size_t length;      /* of the output */
  const char *line;   /* that is said; NULL when memory ran out */
  const struct mprof_error *error; /* NULL if there is none */
};

/* What fills a result, in an attempt in its pool. */
struct filling {
  struct result *result;
  const char *arguments;
  const struct open_profile *open;
  const struct handle *handle;
  const struct handle *base; /* NULL: none */
};

/* A result that FILL makes of FILLING, whose result it is. */
void *result_new(attempt_function *fill, struct filling *filling);

/* Gives RESULT what was written to OUTPUT, LINE, which is said about it, and
 * copies ERROR unless that is NULL. */
void result_take(struct result *result, struct string_sink *output,
                 int status, const char *line,
                 const struct mprof_error *error);

/* Gives RESULT nothing but an error. */
void result_fail(struct result *result, const struct mprof_error *error);

#endif
