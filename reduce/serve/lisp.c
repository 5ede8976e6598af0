/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The Lisp process that has loaded this library, as a program to serve.
 * lisp/bindings.lisp finds the functions by name, so that their
 * arguments have types that Lisp can pass.  Lisp has loaded the library of
 * the monitor before this one, with global symbols.  The command mprof has no
 * monitor.
 */

#include "monitor.h"
#include "serve/server.h"

#include <stdio.h>

#pragma weak mprof_monitor_counter
#pragma weak mprof_monitor_snapshot
#pragma weak mprof_monitor_message
#pragma weak mprof_snapshot_octets
#pragma weak mprof_snapshot_length
#pragma weak mprof_snapshot_free

/* Functions of the garbage collector, which stops threads by these signals.
 */
extern int GC_get_suspend_signal(void) __attribute__((weak));
extern int GC_get_thr_restart_signal(void) __attribute__((weak));

/* The snapshot is not balanced, so that threads stop only for a short time:
 * no reader of it shows the reconciliation. */
static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  (void)closure;
  void *taken = mprof_monitor_snapshot(
      MPROF_UNBALANCED | ((how & SNAPSHOT_COLLECT) != 0 ? MPROF_COLLECT : 0));
  if (taken == NULL) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s", mprof_monitor_message());
    return NULL;
  }
  void *profile = lisp_profile(mprof_snapshot_octets(taken),
                               mprof_snapshot_length(taken));
  mprof_snapshot_free(taken);
  if (profile == NULL)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  return profile;
}

static void
get_status(void *closure, struct program_status *status)
{
  (void)closure;
  *status = (struct program_status){
      .counting = mprof_monitor_counter(MPROF_RUNNING) != 0,
      .follows = mprof_monitor_counter(MPROF_FOLLOWS) != 0,
      .since = (int64_t)mprof_monitor_counter(MPROF_SINCE),
      .allocations = mprof_monitor_counter(MPROF_ALLOCATIONS),
      .bytes = mprof_monitor_counter(MPROF_BYTES),
      .contexts = mprof_monitor_counter(MPROF_CONTEXTS),
      .context_bytes = mprof_monitor_counter(MPROF_CONTEXT_BYTES),
      .threads = mprof_monitor_counter(MPROF_THREADS),
      .overflows = mprof_monitor_counter(MPROF_OVERFLOWS),
      .resets = mprof_monitor_counter(MPROF_RESETS),
  };
}

static char failure[PROGRAM_MESSAGE_LENGTH];

/* Its functions a Lisp thread may call.  On failure `failure' says why. */
const struct program *
lisp_program(void)
{
  static struct program program = {
      .name = "mprof: ECL", .snapshot = take_snapshot, .status = get_status};
  if (mprof_monitor_snapshot == NULL) {
    snprintf(failure, sizeof failure,
             "the monitor is not loaded in this process");
    return NULL;
  }
  sigfillset(&program.interrupts);
  sigdelset(&program.interrupts, SIGSEGV);
  sigdelset(&program.interrupts, SIGBUS);
  if (GC_get_suspend_signal != NULL && GC_get_thr_restart_signal != NULL) {
    sigdelset(&program.interrupts, GC_get_suspend_signal());
    sigdelset(&program.interrupts, GC_get_thr_restart_signal());
  }
  return &program;
}

/* Calls mprof_server_open and returns the address of the server, or 0.
 * ADDRESS is "" for the loopback interface. */
MPROF_API unsigned long mprof_lisp_serve(const char *address, unsigned port,
                                         const char *token);

/* Returns why mprof_lisp_serve returned 0.  The text is valid until its next
 * call. */
MPROF_API const char *mprof_lisp_message(void);

unsigned long
mprof_lisp_serve(const char *address, unsigned port, const char *token)
{
  const struct serve_options options = {*address == '\0' ? NULL : address,
                                        port, token};
  const struct program *program = lisp_program();
  return program == NULL
             ? 0
             : (unsigned long)mprof_server_open(&options, program, failure);
}

const char *
mprof_lisp_message(void)
{
  return failure;
}
