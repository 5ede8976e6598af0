/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the image of a running program, waits until the program counts in it,
 * and reads it into a profile.
 *
 * The library that serves brings another with it, and is loaded when it is
 * needed.  It takes the functions of mprof.h from this command (GNUmakefile),
 * so that a profile that is read here is one there.
 */

#include "command/control.h"

#include "base/input_file.h"
#include "command/load.h"
#include "command/run_files.h"
#include "command/run_program.h"
#include "images/image_reader.h"
#include "serve/server.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

void
control_open(struct control *control, const char *file, const char *deleted)
{
  *control = (struct control){.file = file};
  control->names.pool = &control->names_pool;
  control->names.deleted = deleted;
}

void
control_close(struct control *control)
{
  code_names_release(&control->names);
}

/* Sets PATH to the image that the process PID counts in. */
static void
find_image_of(const char *pid, char path[PATH_MAX])
{
  struct image_head head;
  char *maps = text_file_read(pool_format("/proc/%s/maps", pid));
  if (maps == NULL)
    fail_with(MPROF_CANNOT_READ, "cannot look at process %s: %s", pid,
              strerror(errno));
  *path = '\0';
  for (char *line; *path == '\0' && (line = strsep(&maps, "\n")) != NULL;) {
    char *name = strchr(line, '/');
    if (name != NULL && strstr(line, " rw-s ") != NULL &&
        image_read_head(name, &head) &&
        head.process == strtoul(pid, NULL, 10))
      snprintf(path, PATH_MAX, "%s", name);
  }
  if (*path == '\0')
    fail_with(
        MPROF_CANNOT_READ,
        "process %s counts in no file; start the program with mprof "
        "run, attach by mprof run --pid=%s, or in Lisp use the :file of "
        "mprof:start",
        pid, pid);
}

void
control_find_image(const char *name, char path[PATH_MAX])
{
  struct image_head head;
  if (name[strspn(name, "0123456789")] == '\0')
    find_image_of(name, path);
  else
    snprintf(path, PATH_MAX, "%s", name);
  if (!image_read_head(path, &head))
    fail_with(MPROF_CANNOT_READ,
              "'%s' is not the profile of a running program", path);
}

/* ---- a snapshot -------------------------------------------------------- */

/* Waits until the program counts in its image: one that becomes another
 * program has none for a moment. */
static void
wait_for_image(const struct control *control)
{
  enum { TRIES = 100, NANOSECONDS = 10000000 };
  const struct timespec pause = {.tv_nsec = NANOSECONDS};
  const char *why = "no profiled program has started";
  struct image_head head;
  for (int i = 0; i < TRIES && !control->ended; i++) {
    if (image_read_head(control->file, &head)) {
      if (image_is_used(control->file, &head))
        return;
      why = process_has_ended(head.process) ? "it has ended"
                                            : "it is no longer profiled";
    }
    nanosleep(&pause, NULL);
  }
  fail_with(MPROF_CANNOT_RUN, "cannot query the program: %s",
            control->ended ? "it has ended" : why);
}

static void
end_snapshot(void *closure)
{
  struct control *control = closure;
  if (control->files != NULL)
    pthread_mutex_unlock(&control->files->timelines_lock);
  if (!control->read)
    control_close(control);
}

void
control_snapshot(struct profile *profile, void *closure)
{
  struct control *control = closure;
  struct input_name name = {.path = control->file};
  const struct input_list list = {.files = &name, .count = 1};
  if (control->files != NULL)
    pthread_mutex_lock(&control->files->timelines_lock);
  control->read = false;
  pool_on_release(end_snapshot, control);
  if (!control->ended)
    wait_for_image(control);
  const struct run_image *image =
      control->files == NULL ? NULL
                             : run_image_find(control->files, control->file);
  if (image != NULL)
    name.options.timeline = &image->timeline;
  profile_load_list(profile, &list, control->lossless, &control->names);
  control->read = true;
  pool_release_now(control);
}

/* ---- --serve ----------------------------------------------------------- */

enum { DEFAULT_PORT = 6060 };

struct watch {
  struct control control;
  struct program program;
  const struct server_calls *call;
  struct server *server;
  pthread_t serves;
};

/* Takes a snapshot.  There is nothing to collect in a program in C. */
static void *
take_snapshot(void *closure, unsigned how, char *message)
{
  struct control *control = closure;
  struct mprof_error error;
  control->lossless = (how & SNAPSHOT_FILE) != 0;
  void *taken = profile_handle(control_snapshot, control, &error);
  if (taken == NULL)
    snprintf(message, PROGRAM_MESSAGE_LENGTH, "%.*s",
             PROGRAM_MESSAGE_LENGTH - 1, error.message);
  return taken;
}

/* Returns a number that changes when the program's figures are forgotten; the
 * last one when the image is gone or the program has ended. */
static uint64_t
generation(void *closure)
{
  struct control *control = closure;
  struct stripes *shared =
      control->ended ? NULL : image_map_stripes(control->file);
  if (shared != NULL) {
    control->generation = shared->figures_since;
    image_unmap_stripes(shared);
  }
  return control->generation;
}

static void *
serve(void *closure)
{
  struct watch *watch = closure;
  watch->call->run(watch->server);
  return NULL;
}

struct watch *
watch_serve(const struct options *options, struct run_files *files)
{
  const char *where = options->run.serve;
  struct watch *watch = pool_zeroed(1, sizeof *watch);
  char message[PROGRAM_MESSAGE_LENGTH];
  const char *colon = strrchr(where, ':');
  const char *port = colon == NULL ? where : colon + 1;
  const size_t length = colon == NULL ? 0 : (size_t)(colon - where);
  char *address = pool_text_part(where, length), *end;
  watch->call = library_load("mprof_server_calls");
  const unsigned long number = strtoul(port, &end, 10);
  if (*port < '0' || *port > '9' || *end != '\0' || number > 65535)
    fail_with(MPROF_USAGE,
              "--serve takes a port, such as %d, or ADDRESS:PORT, not '%s'",
              DEFAULT_PORT, where);
  if (length > 1 && address[0] == '[' && address[length - 1] == ']') {
    address[length - 1] = '\0';
    address++;
  }
  control_open(&watch->control, files->path, files->code.deleted);
  watch->control.files = options->run.timeline == 0 ? NULL : files;
  watch->program = (struct program){.closure = &watch->control,
                                    .snapshot = take_snapshot,
                                    .generation = generation};
  sigfillset(&watch->program.interrupts);
  watch->server =
      watch->call->open(*address == '\0' ? NULL : address, (unsigned)number,
                        &watch->program, message);
  if (watch->server == NULL)
    fail_with(MPROF_CANNOT_RUN, "%s", message);
  mprof_say("serving at http://%s%s%s:%u/",
            strchr(address, ':') != NULL ? "[" : "",
            *address == '\0' ? "localhost" : address,
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
  watch->control.ended = true;
  watch->call->stop(watch->server);
  pthread_join(watch->serves, NULL);
  watch->call->close(watch->server);
  control_close(&watch->control);
}
