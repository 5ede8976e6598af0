/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library that serves brings another with it, and is loaded when it is
 * needed.  It takes the functions of mprof.h from this command (GNUmakefile),
 * so that a profile that is read here is one there.
 */

#include "command/watch.h"

#include "command/control.h"
#include "command/load.h"
#include "command/run_files.h"
#include "command/run_program.h"
#include "common/image_format.h"
#include "handles.h"
#include "serve/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_PORT = 6060 };

struct watch {
  struct control control;
  struct program program;
  const struct server_calls *call;
  struct server *server;
  pthread_t serves;
};

/* ---- the program ------------------------------------------------------- */

struct taking {
  struct watch *watch;
  bool lossless;
};

static void
read_snapshot(struct profile *profile, void *closure)
{
  const struct taking *taking = closure;
  control_snapshot(&taking->watch->control, taking->lossless, profile);
}

/* Takes a snapshot.  There is nothing to collect in a program in C. */
static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  struct taking taking = {closure, (how & SNAPSHOT_FILE) != 0};
  struct mprof_error error;
  void *taken = profile_handle(read_snapshot, &taking, &error);
  if (taken == NULL)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%.*s",
             PROGRAM_MESSAGE_LENGTH - 1, error.message);
  return taken;
}

static uint64_t
generation(void *closure)
{
  return control_generation(&((struct watch *)closure)->control);
}

static void *
serve(void *closure)
{
  struct watch *watch = closure;
  watch->call->run(watch->server);
  return NULL;
}

/* ---- begin and end ----------------------------------------------------- */

struct watch *
watch_serve(const struct options *options, struct run_files *files)
{
  const char *where = options->run.serve;
  struct watch *watch = pool_zeroed(1, sizeof *watch);
  char message[PROGRAM_MESSAGE_LENGTH], address[256] = "";
  const char *colon = strrchr(where, ':');
  const char *port = colon == NULL ? where : colon + 1;
  size_t length = colon == NULL ? 0 : (size_t)(colon - where);
  char *end;
  watch->call = library_load("mprof_server_calls");
  const unsigned long number = strtoul(port, &end, 10);
  if (*port < '0' || *port > '9' || *end != '\0' || number > 65535 ||
      length >= sizeof address)
    fail_with(MPROF_USAGE,
              "--serve takes a port, such as %d, or ADDRESS:PORT, not '%s'",
              DEFAULT_PORT, where);
  if (length > 1 && where[0] == '[' && where[length - 1] == ']') {
    where++;
    length -= 2;
  }
  memcpy(address, where, length);
  control_open(&watch->control, files->path, files->code[0].names.deleted);
  watch->control.files = options->run.timeline == 0 ? NULL : files;
  watch->program = (struct program){
      .closure = watch, .snapshot = take_snapshot, .generation = generation};
  sigfillset(&watch->program.interrupts);
  watch->server =
      watch->call->open(length == 0 ? NULL : address, (unsigned)number,
                        &watch->program, message);
  if (watch->server == NULL)
    fail_with(MPROF_CANNOT_RUN, "%s", message);
  mprof_say("serving at http://%s%s%s:%u/",
            strchr(address, ':') != NULL ? "[" : "",
            length == 0 ? "localhost" : address,
            strchr(address, ':') != NULL ? "]" : "",
            watch->call->port(watch->server));
  if (run_thread_begin(&watch->serves, serve, watch))
    return watch;
  watch->call->close(watch->server);
  fail_memory();
}

void
watch_close(struct watch *watch)
{
  control_program_ended(&watch->control);
  watch->call->stop(watch->server);
  pthread_join(watch->serves, NULL);
  watch->call->close(watch->server);
  control_close(&watch->control);
}
