/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the image of a running program, waits until the program counts in it,
 * and reads it into a profile. */

#include "command/control.h"

#include "base/input_file.h"
#include "command/attach.h"
#include "command/load.h"
#include "command/run_files.h"
#include "recover/image_hold.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void
control_program_ended(struct control *control)
{
  control->ended = true;
}

/* Sets PATH to the image that the process PID counts in. */
static void
find_image_of(const char *pid, char path[PATH_MAX])
{
  struct image_head head;
  char *maps = text_file_read(pool_format("/proc/%s/maps", pid), NULL);
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
              "'%s' is no file that a running program counts in", path);
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
      why = process_state_is_end(process_state(head.process))
                ? "it has ended"
                : "it is no longer profiled";
    }
    nanosleep(&pause, NULL);
  }
  fail_with(MPROF_CANNOT_RUN, "cannot query the program: %s",
            control->ended ? "it has ended" : why);
}

uint64_t
control_generation(struct control *control)
{
  struct stripes *shared =
      control->ended ? NULL : image_map_stripes(control->file);
  if (shared != NULL) {
    control->generation = shared->figures_since;
    image_unmap_stripes(shared);
  }
  return control->generation;
}

struct reading_snapshot {
  struct control *control;
  bool lossless;
  struct profile *profile;
};

static void
read_snapshot(void *closure)
{
  const struct reading_snapshot *reading = closure;
  struct control *control = reading->control;
  struct input_name name = {.path = control->file};
  const struct input_list list = {.files = &name, .count = 1};
  if (!control->ended)
    wait_for_image(control);
  if (control->files != NULL)
    name.timeline = run_timelines_find(control->files, control->file);
  profile_load_list(reading->profile, &list, reading->lossless,
                    &control->names);
}

void
control_snapshot(struct control *control, bool lossless,
                 struct profile *profile)
{
  struct reading_snapshot reading = {control, lossless, profile};
  struct mprof_error error;
  if (control->files != NULL)
    pthread_mutex_lock(&control->files->timelines_lock);
  const bool good = attempt(pool_in_use(), read_snapshot, &reading, &error);
  if (control->files != NULL)
    pthread_mutex_unlock(&control->files->timelines_lock);
  if (good)
    return;
  code_names_release(&control->names);
  fail_again(&error);
}
