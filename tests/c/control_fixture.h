/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that runs with the monitor preloaded, and is asked; its orders
 * and answers go through pipes.  What a test does not use of it is no fault.
 */

#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "c/count/stripes.h"
#include "command/control.h"
#include "command/load.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/mprof-test-XXXXXX";
static char scratch[sizeof folder + 8]; /* the program's file, in that */
static struct control control;
static pid_t program;
static int orders, answers;

/* ---- the program ---- */

static void
preload(void)
{
  char library[4096], process[16];
  snprintf(library, sizeof library, "%s/libmprof-malloc.so",
           getenv("MPROF_LIB"));
  snprintf(process, sizeof process, "%010u", (unsigned)getpid());
  setenv("LD_PRELOAD", library, true);
  setenv("MPROF_ROOT_PID", process, true);
  setenv("MPROF_OUT", scratch, true);
  setenv("MPROF_WATCHED", "1", true);
}

/* Starts it, to be asked if it is MONITORED. */
static inline void
start_program(char *const *arguments, bool monitored)
{
  int in[2], out[2];
  assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
  program = fork();
  if (program == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    if (monitored)
      preload();
    execv(arguments[0], arguments);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  orders = in[1];
  answers = out[0];
}

static inline void
end_program(void)
{
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
  close(orders);
  close(answers);
}

/* ---- asking ---- */

static inline void
take_snapshot(void *profile)
{
  control_snapshot(&control, false, profile);
}

/* No snapshot is to be had, as the error says. */
static inline void
check_refused(const char *why)
{
  struct profile profile;
  assert_fails(take_snapshot, &profile, why);
}

static inline void
read_profile(struct profile *profile)
{
  control_snapshot(&control, false, profile);
}

/* ---- groups ---- */

static inline int
open_control(void **state)
{
  (void)state;
  control_open(&control, scratch, NULL);
  return 0;
}

static inline int
make_folder(void **state)
{
  (void)state;
  if (mkdtemp(folder) == NULL)
    return -1;
  snprintf(scratch, sizeof scratch, "%s/p.data", folder);
  return 0;
}

/* Processes have files of their own there. */
static inline int
remove_folder(void **state)
{
  char pattern[sizeof folder + 8];
  glob_t files;
  (void)state;
  snprintf(pattern, sizeof pattern, "%s/*", folder);
  if (glob(pattern, 0, NULL, &files) == 0) {
    for (size_t i = 0; i < files.gl_pathc; i++)
      unlink(files.gl_pathv[i]);
    globfree(&files);
  }
  return rmdir(folder);
}
