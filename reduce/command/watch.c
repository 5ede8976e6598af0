/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library that serves and ships brings others with it, and is loaded when
 * it is needed.  It takes the functions of mprof.h from this command
 * (GNUmakefile), so that a profile that is read here is one there.
 */

#include "command/watch.h"

#include "command/attach.h"
#include "command/control.h"
#include "command/run_program.h"
#include "common/image_format.h"
#include "pprof/writer.h"
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

enum { DEFAULT_PORT = 6060 };

struct watch {
  struct control control;
  struct control_figures figures; /* as it said last */
  struct program program;
  void *library;
  struct {
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
    __typeof__(mprof_ship_summary) *ship_summary;
    __typeof__(mprof_ship_close) *ship_close;
  } call;
  struct server *server;   /* NULL: it is not served */
  struct shipper *shipper; /* NULL: it is not shipped */
  pthread_t serves, ships;
};

/* ---- the program ------------------------------------------------------- */

static void
release_octets(struct program_snapshot *snapshot)
{
  free(snapshot->owned);
}

/* What would be in the file. */
static bool
write_octets(const struct profile *profile, struct program_snapshot *snapshot)
{
  struct string_sink sink;
  string_sink_init(&sink);
  profile_write(profile, false, &sink.sink);
  if (!sink_flush(&sink.sink)) {
    string_sink_release(&sink);
    return false;
  }
  snapshot->octets = snapshot->owned = sink.text;
  snapshot->length = sink.length;
  snapshot->release = release_octets;
  return true;
}

/* There is nothing to collect in a program in C, and nothing hidden. */
static bool
take_snapshot(void *closure, unsigned how, struct program_snapshot *snapshot,
              char *message)
{
  struct watch *watch = closure;
  const bool file = (how & SNAPSHOT_FILE) != 0;
  struct profile profile = {0};
  struct mprof_error error;
  struct timespec now;
  *snapshot = (struct program_snapshot){0};
  mprof_error_clear(&error);
  bool good = control_snapshot(&watch->control, file, &profile, &error);
  clock_gettime(CLOCK_REALTIME, &now);
  snapshot->time_nanos = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  if (good && file) {
    good = write_octets(&profile, snapshot) || mprof_error_memory(&error);
    profile_release(&profile);
  } else if (good) {
    snapshot->profile = profile_handle(&profile);
    good = snapshot->profile != NULL || mprof_error_memory(&error);
  } else {
    profile_release(&profile);
  }
  if (!good)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%.*s",
             PROGRAM_MESSAGE_LENGTH - 1, error.message);
  return good;
}

/* Of a program that has ended, or does not answer, it is the last one. */
static void
get_status(void *closure, struct program_status *status)
{
  struct watch *watch = closure;
  struct control_figures figures;
  struct mprof_error error;
  mprof_error_clear(&error);
  if (control_ask(&watch->control, 0, &figures, &error))
    watch->figures = figures;
  figures = watch->figures;
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

static bool
load(struct watch *watch, struct mprof_error *error)
{
  static const char *const names[] = {
      "mprof_server_open",   "mprof_server_port",  "mprof_server_run",
      "mprof_server_answer", "mprof_server_stop",  "mprof_server_close",
      "mprof_ship_open",     "mprof_ship_run",     "mprof_ship_note",
      "mprof_ship_stop",     "mprof_ship_summary", "mprof_ship_close"};
  char path[PATH_MAX];
  char *place = (char *)&watch->call;
  _Static_assert(sizeof watch->call ==
                     sizeof names / sizeof *names * sizeof(void *),
                 "a name for each");
  if (!library_find("libmprof-serve.so", "shipping library", path, error))
    return false;
  watch->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  bool good = watch->library != NULL;
  for (size_t i = 0; good && i < sizeof names / sizeof *names; i++) {
    void *found = dlsym(watch->library, names[i]);
    memcpy(place + i * sizeof found, &found, sizeof found);
    good = found != NULL;
  }
  return good || mprof_fail(error, MPROF_CANNOT_READ, "cannot load '%s': %s",
                            path, dlerror());
}

/* What is behind the last colon of WHERE is the port, and what is before it an
 * address: 6060, 0.0.0.0:6060, [::1]:6060. */
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
  watch->server =
      watch->call.server_open(&options, &watch->program, message);
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
  char *labels = strdup(options->push.labels == NULL ? ""
                                                     : options->push.labels);
  if (labels == NULL)
    return mprof_error_memory(error);
  for (char *c = labels; *c != '\0'; c++)
    if (*c == ',')
      *c = '\n';
  const struct ship_options ship_options = {
      .url = options->run.ship,
      .protocol = options->push.protocol,
      .service = options->push.service,
      .labels = labels,
      .every = options->run.ship_every == SIZE_MAX
                   ? 0
                   : options->run.ship_every * 1000};
  watch->shipper =
      watch->call.ship_open(&ship_options, &watch->program, message);
  free(labels);
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
  char message[PROGRAM_MESSAGE_LENGTH];
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
    if (!watch->call.ship_summary(watch->shipper, message))
      fprintf(stderr, "mprof: %s\n", message);
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
  if (!load(watch, error) ||
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
