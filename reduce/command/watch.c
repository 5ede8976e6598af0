/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof run --serve and --ship, and mprof push.  The library that does it
 * brings others with it, and is loaded when it is needed.  It takes the
 * functions of mprof.h from this command (GNUmakefile), so that a profile
 * that is read here is one there.
 */

#include "command/watch.h"

#include "command/attach.h"
#include "command/control.h"
#include "command/load.h"
#include "command/run_program.h"
#include "common/image_format.h"
#include "profile_handle.h"
#include "serve/server.h"
#include "serve/ship.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_PORT = 6060, PUSH_MILLISECONDS = 30000 };

/* Functions of the library. */
struct library {
  __typeof__(mprof_server_open) *server_open;
  __typeof__(mprof_server_port) *server_port;
  __typeof__(mprof_server_run) *server_run;
  __typeof__(mprof_server_answer) *server_answer;
  __typeof__(mprof_server_stop) *server_stop;
  __typeof__(mprof_server_close) *server_close;
  __typeof__(mprof_ship_open) *ship_open;
  __typeof__(mprof_ship_run) *ship_run;
  __typeof__(mprof_ship_note) *ship_note;
  __typeof__(mprof_ship_stop) *ship_stop;
  __typeof__(mprof_ship_profile) *ship_profile;
  __typeof__(mprof_ship_count) *ship_count;
  __typeof__(mprof_ship_summary) *ship_summary;
  __typeof__(mprof_ship_close) *ship_close;
};

struct watch {
  struct control control;
  struct program program;
  struct library call;
  struct server *server;   /* NULL: it is not served */
  struct shipper *shipper; /* NULL: it is not shipped */
  pthread_t serves, ships;
};

/* ---- the library ------------------------------------------------------- */

static bool
load(struct library *library, struct mprof_error *error)
{
  static const char *const names[] = {
      "mprof_server_open",   "mprof_server_port",  "mprof_server_run",
      "mprof_server_answer", "mprof_server_stop",  "mprof_server_close",
      "mprof_ship_open",     "mprof_ship_run",     "mprof_ship_note",
      "mprof_ship_stop",     "mprof_ship_profile", "mprof_ship_count",
      "mprof_ship_summary",  "mprof_ship_close"};
  char path[PATH_MAX];
  void *found[sizeof names / sizeof *names];
  _Static_assert(sizeof *library == sizeof found, "a name for each");
  if (!library_find("libmprof-serve.so", "shipping library", path, error))
    return false;
  void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  bool good = opened != NULL;
  for (size_t i = 0; good && i < sizeof names / sizeof *names; i++) {
    found[i] = dlsym(opened, names[i]);
    good = found[i] != NULL;
  }
  if (good)
    memcpy(library, found, sizeof found);
  return good || mprof_fail(error, MPROF_CANNOT_READ, "cannot load '%s': %s",
                            path, dlerror());
}

/* NULL: MESSAGE says why. */
static struct shipper *
open_shipper(const struct library *library, struct ship_options how,
             const struct push_options *options,
             const struct program *program, char *message)
{
  char *labels = strdup(options->labels == NULL ? "" : options->labels);
  struct shipper *shipper = NULL;
  for (char *c = labels; c != NULL && *c != '\0'; c++)
    if (*c == ',')
      *c = '\n';
  how.protocol = options->protocol;
  how.service = options->service;
  how.labels = labels;
  if (labels != NULL)
    shipper = library->ship_open(&how, program, message);
  else
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "out of memory");
  free(labels);
  return shipper;
}

/* ---- the program ------------------------------------------------------- */

/* There is nothing to collect in a program in C, and nothing hidden. */
static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  struct watch *watch = closure;
  struct profile profile = {0};
  struct mprof_error error;
  void *taken = NULL;
  mprof_error_clear(&error);
  if (!control_snapshot(&watch->control, (how & SNAPSHOT_FILE) != 0, &profile,
                        &error)) {
    profile_release(&profile);
  } else {
    taken = profile_handle(&profile);
    if (taken == NULL)
      mprof_error_memory(&error);
  }
  if (taken == NULL)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%.*s",
             PROGRAM_MESSAGE_LENGTH - 1, error.message);
  return taken;
}

/* Of a program that has ended, or does not answer, it is the last one. */
static void
get_status(void *closure, struct program_status *status)
{
  struct watch *watch = closure;
  struct control_figures figures;
  struct mprof_error error;
  mprof_error_clear(&error);
  control_ask(&watch->control, 0, &figures, &error);
  *status = (struct program_status){
      .counting = figures.counting,
      .follows = true,
      .since = (int64_t)(figures.figures_since / 1000000000),
      .allocations = figures.allocations,
      .bytes = figures.bytes,
      .contexts = figures.contexts,
      .overflows = figures.overflows,
      .resets = figures.figures_since};
}

/* ---- threads ----------------------------------------------------------- */

static void *
serve(void *closure)
{
  static const uint32_t requests[] = {[SERVE_START] = REQUEST_START,
                                      [SERVE_STOP] = REQUEST_STOP,
                                      [SERVE_RESET] = REQUEST_RESET};
  struct watch *watch = closure;
  enum serve_event event;
  while ((event = watch->call.server_run(watch->server)) != SERVE_END) {
    struct control_figures figures;
    struct mprof_error error;
    mprof_error_clear(&error);
    if (event == SERVE_RESET && watch->shipper != NULL)
      watch->call.ship_note(watch->shipper);
    bool done =
        control_ask(&watch->control, requests[event], &figures, &error);
    watch->call.server_answer(watch->server, done ? "" : error.message);
  }
  return NULL;
}

static void *
ship(void *closure)
{
  struct watch *watch = closure;
  watch->call.ship_run(watch->shipper);
  return NULL;
}

/* A thread that gets no signal: these are for the one that waits for the
 * program. */
static bool
start_thread(struct watch *watch, pthread_t *thread, void *(*run)(void *),
             struct mprof_error *error)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const bool good = pthread_create(thread, NULL, run, watch) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good || mprof_error_memory(error);
}

/* ---- begin and end ----------------------------------------------------- */

/* What is behind the last colon of WHERE is the port, and what is before it
 * an address: 6060, 0.0.0.0:6060, [::1]:6060. */
static bool
begin_to_serve(struct watch *watch, const char *where,
               struct mprof_error *error)
{
  char message[PROGRAM_MESSAGE_LENGTH], address[256] = "";
  const char *colon = strrchr(where, ':');
  const char *port = colon == NULL ? where : colon + 1;
  size_t length = colon == NULL ? 0 : (size_t)(colon - where);
  char *end;
  const unsigned long number = strtoul(port, &end, 10);
  if (*port < '0' || *port > '9' || *end != '\0' || number > 65535 ||
      length >= sizeof address)
    return mprof_fail(error, MPROF_USAGE,
                      "--serve takes a port, such as %d, or ADDRESS:PORT, "
                      "not '%s'",
                      DEFAULT_PORT, where);
  if (length > 1 && where[0] == '[' && where[length - 1] == ']') {
    where++;
    length -= 2;
  }
  memcpy(address, where, length);
  const struct serve_options options = {
      length == 0 ? NULL : address, (unsigned)number, getenv("MPROF_TOKEN")};
  watch->server = watch->call.server_open(&options, &watch->program, message);
  if (watch->server == NULL)
    return mprof_fail(error, MPROF_CANNOT_RUN, "%s", message);
  fprintf(stderr, "mprof: serving at http://%s%s%s:%u/\n",
          strchr(address, ':') != NULL ? "[" : "",
          length == 0 ? "localhost" : address,
          strchr(address, ':') != NULL ? "]" : "",
          watch->call.server_port(watch->server));
  if (start_thread(watch, &watch->serves, serve, error))
    return true;
  watch->call.server_close(watch->server);
  watch->server = NULL;
  return false;
}

static bool
begin_to_ship(struct watch *watch, const struct options *options,
              struct mprof_error *error)
{
  char message[PROGRAM_MESSAGE_LENGTH];
  const struct ship_options how = {.url = options->run.ship,
                                   .every =
                                       options->run.ship_every == SIZE_MAX
                                           ? 0
                                           : options->run.ship_every * 1000};
  watch->shipper = open_shipper(&watch->call, how, &options->push,
                                &watch->program, message);
  if (watch->shipper == NULL)
    return mprof_fail(error, MPROF_USAGE, "%s", message);
  if (start_thread(watch, &watch->ships, ship, error))
    return true;
  watch->call.ship_close(watch->shipper);
  watch->shipper = NULL;
  return false;
}

static const char *
program_name(const struct options *options)
{
  const char *name =
      options->file_count == 0 ? "a process" : options->files[0];
  const char *slash = strrchr(name, '/');
  return slash == NULL ? name : slash + 1;
}

/* The program has ended, or has not begun: what is left is shipped. */
static void
watch_end(struct watch *watch)
{
  if (watch == NULL)
    return;
  control_program_ended(&watch->control);
  if (watch->server != NULL) {
    watch->call.server_stop(watch->server);
    pthread_join(watch->serves, NULL);
    watch->call.server_close(watch->server);
  }
  if (watch->shipper != NULL) {
    watch->call.ship_stop(watch->shipper);
    pthread_join(watch->ships, NULL);
    if (watch->call.ship_count(watch->shipper, SHIP_DROPPED_PARTS) > 0)
      fprintf(stderr, "mprof: %s\n",
              watch->call.ship_summary(watch->shipper));
    watch->call.ship_close(watch->shipper);
  }
  control_close(&watch->control);
  free(watch);
}

/* *WATCHED is NULL when nobody is to look. */
static bool
watch_begin(struct watch **watched, const struct options *options,
            const char *file, struct mprof_error *error)
{
  struct watch *watch;
  *watched = NULL;
  if (options->run.serve == NULL && options->run.ship == NULL)
    return true;
  watch = calloc(1, sizeof *watch);
  if (watch == NULL)
    return mprof_error_memory(error);
  control_open(&watch->control, file);
  watch->program = (struct program){.closure = watch,
                                    .name = program_name(options),
                                    .snapshot = take_snapshot,
                                    .status = get_status};
  sigfillset(&watch->program.interrupts);
  if (!load(&watch->call, error) ||
      (options->run.ship != NULL && !begin_to_ship(watch, options, error)) ||
      (options->run.serve != NULL &&
       !begin_to_serve(watch, options->run.serve, error))) {
    watch_end(watch);
    return false;
  }
  *watched = watch;
  return true;
}

bool
watch_run(const struct options *options, const char *file, struct sink *sink,
          struct outcome *outcome)
{
  struct options watched = *options;
  struct watch *watch;
  if (!watch_begin(&watch, options, file, &outcome->error))
    return false;
  watched.run.watched = watch != NULL;
  const bool good = options->run.process != SIZE_MAX
                        ? attach_run(&watched, file, sink, outcome)
                        : program_run(&watched, file, outcome);
  watch_end(watch);
  return good;
}

/* ---- push -------------------------------------------------------------- */

/* Ships PROFILE of mprof.h, which it takes over, as OPTIONS say. */
static bool
push(const struct library *library, const struct options *options,
     void *profile, struct sink *sink, struct mprof_error *error)
{
  const char *path = options->files[0];
  const char *slash = strrchr(path, '/');
  const char *base = slash == NULL ? path : slash + 1;
  char *name = strndup(base, strcspn(base, "."));
  const struct program program = {.name = name == NULL ? "" : name};
  const struct ship_options how = {.url = options->files[1],
                                   .deadline = PUSH_MILLISECONDS};
  char message[PROGRAM_MESSAGE_LENGTH];
  struct shipper *shipper =
      open_shipper(library, how, &options->push, &program, message);
  bool good = false;
  if (shipper == NULL) {
    mprof_fail(error, MPROF_CANNOT_WRITE, "%s", message);
    mprof_profile_close(profile);
  } else {
    library->ship_profile(shipper, profile);
    const char *summary = library->ship_summary(shipper);
    good = library->ship_count(shipper, SHIP_DROPPED_PARTS) == 0;
    if (good)
      sink_format(sink, "%s\n", summary);
    else
      mprof_fail(error, MPROF_CANNOT_WRITE, "%s", summary);
    library->ship_close(shipper);
  }
  free(name);
  return good;
}

bool
run_push(const struct options *options, struct sink *sink,
         struct outcome *outcome)
{
  struct library library;
  struct profile profile = {0};
  struct mprof_error *error = &outcome->error;
  /* What is wrong with a file is said as all commands say it. */
  if (!profile_load(&profile, options->files, 1, HEAP_BOTH, options->progress,
                    error) ||
      !load(&library, error)) {
    profile_release(&profile);
    return false;
  }
  void *handle = profile_handle(&profile);
  return handle == NULL ? mprof_error_memory(error)
                        : push(&library, options, handle, sink, error);
}
