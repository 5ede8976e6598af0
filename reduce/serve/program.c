/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "serve/program.h"

#include "mprof.h"

int64_t
clock_nanos(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

bool
snapshot_take(const struct program *program, unsigned how,
              struct snapshot *snapshot, char *message)
{
  uint64_t resets;
  *snapshot = (struct snapshot){0};
  do {
    mprof_profile_close(snapshot->profile);
    program->status(program->closure, &snapshot->status);
    resets = snapshot->status.resets;
    snapshot->profile = program->snapshot(program->closure, how, message);
    snapshot->time = clock_nanos(CLOCK_REALTIME);
    program->status(program->closure, &snapshot->status);
  } while (snapshot->profile != NULL && snapshot->status.resets != resets);
  return snapshot->profile != NULL;
}
