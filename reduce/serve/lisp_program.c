/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The monitor is a library of its own, in the same folder as this one: it is
 * loaded already, and its functions are looked up.
 */

#include "serve/lisp_program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monitor.h"
#include "mprof.h"

static struct {
  unsigned long long (*counter)(int which);
  void *(*snapshot)(int before);
  const void *(*octets)(const void *snapshot);
  unsigned long (*length)(const void *snapshot);
  void (*free)(void *snapshot);
  const char *(*message)(void);
} lisp;

static void
release(struct program_snapshot *snapshot)
{
  mprof_result_free(snapshot->owned);
}

/* Makes SNAPSHOT a file of PROFILE, which is closed. */
static bool
make_file(struct program_snapshot *snapshot, void *profile, char *message)
{
  void *result = mprof_profile_write(profile);
  mprof_profile_close(profile);
  if (mprof_result_status(result) != 0) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s",
             mprof_result_error(result));
    mprof_result_free(result);
    return false;
  }
  snapshot->octets = mprof_result_output(result);
  snapshot->length = mprof_result_length(result);
  snapshot->owned = result;
  snapshot->release = release;
  return true;
}

/* Threads stand still as short as may be: nobody reads the reconciliation. */
static bool
take_snapshot(void *closure, unsigned how, struct program_snapshot *snapshot,
              char *message)
{
  struct timespec now;
  (void)closure;
  void *taken =
      lisp.snapshot(MPROF_UNBALANCED |
                    ((how & SNAPSHOT_COLLECT) != 0 ? MPROF_COLLECT : 0));
  if (taken == NULL) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%s", lisp.message());
    return false;
  }
  clock_gettime(CLOCK_REALTIME, &now);
  *snapshot = (struct program_snapshot){
      .profile =
          mprof_profile_open_octets(lisp.octets(taken), lisp.length(taken)),
      .time_nanos = now.tv_sec * INT64_C(1000000000) + now.tv_nsec};
  lisp.free(taken);
  if (snapshot->profile == NULL) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
    return false;
  }
  if ((how & SNAPSHOT_FILE) == 0)
    return true;
  void *profile = snapshot->profile;
  snapshot->profile = NULL;
  return make_file(snapshot, profile, message);
}

static void
get_status(void *closure, struct program_status *status)
{
  (void)closure;
  *status = (struct program_status){
      .counting = lisp.counter(MPROF_RUNNING) != 0,
      .follows = lisp.counter(MPROF_FOLLOWS) != 0,
      .since = (int64_t)lisp.counter(MPROF_SINCE),
      .allocations = lisp.counter(MPROF_ALLOCATIONS),
      .bytes = lisp.counter(MPROF_BYTES),
      .contexts = lisp.counter(MPROF_CONTEXTS),
      .context_bytes = lisp.counter(MPROF_CONTEXT_BYTES),
      .threads = lisp.counter(MPROF_THREADS),
      .overflows = lisp.counter(MPROF_OVERFLOWS),
      .resets = lisp.counter(MPROF_RESETS),
  };
}

/* The collector stops threads by signals; those are never blocked. */
static void
set_interrupts(sigset_t *interrupts)
{
  int (*const suspend)(void) =
      (int (*)(void))dlsym(RTLD_DEFAULT, "GC_get_suspend_signal");
  int (*const restart)(void) =
      (int (*)(void))dlsym(RTLD_DEFAULT, "GC_get_thr_restart_signal");
  sigfillset(interrupts);
  sigdelset(interrupts, SIGSEGV);
  sigdelset(interrupts, SIGBUS);
  if (suspend != NULL && restart != NULL) {
    sigdelset(interrupts, suspend());
    sigdelset(interrupts, restart());
  }
}

static bool
find_monitor(char *message)
{
  static const struct {
    const char *name;
    void **place;
  } functions[] = {
      {"mprof_monitor_counter", (void **)&lisp.counter},
      {"mprof_monitor_snapshot", (void **)&lisp.snapshot},
      {"mprof_snapshot_octets", (void **)&lisp.octets},
      {"mprof_snapshot_length", (void **)&lisp.length},
      {"mprof_snapshot_free", (void **)&lisp.free},
      {"mprof_monitor_message", (void **)&lisp.message},
  };
  Dl_info own;
  char path[4096];
  const char *slash;
  void *monitor = NULL;
  if (dladdr(&lisp, &own) != 0 &&
      (slash = strrchr(own.dli_fname, '/')) != NULL) {
    snprintf(path, sizeof path, "%.*s/libmprof-monitor.so",
             (int)(slash - own.dli_fname), own.dli_fname);
    monitor = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    *functions[i].place =
        monitor == NULL ? NULL : dlsym(monitor, functions[i].name);
    if (*functions[i].place == NULL) {
      snprintf(message, PROGRAM_MESSAGE_LENGTH,
               "the monitor is not loaded in this process");
      return false;
    }
  }
  return true;
}

const struct program *
lisp_program(char *message)
{
  static struct program program = {.name = "mprof: ECL",
                                   .snapshot = take_snapshot,
                                   .status = get_status};
  if (lisp.counter == NULL && !find_monitor(message))
    return NULL;
  set_interrupts(&program.interrupts);
  return &program;
}

/* ---- for Lisp ---- */

static char failure[PROGRAM_MESSAGE_LENGTH];

unsigned long
mprof_lisp_serve(const char *address, unsigned port, const char *token)
{
  const struct serve_options options = {
      *address == '\0' ? NULL : address, port, token};
  const struct program *program = lisp_program(failure);
  return program == NULL ? 0
                         : (unsigned long)mprof_server_open(&options, program,
                                                            failure);
}

const char *
mprof_lisp_serve_message(void)
{
  return failure;
}
