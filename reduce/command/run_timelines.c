/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The timelines of the images of `mprof run' (recover/timeline.h).  An image
 * whose process became another program gets another name, so images are
 * known by their file and not by its name.
 */

#include "command/run_files.h"

#include "base/clock.h"
#include "recover/timeline.h"

#include <stdlib.h>
#include <sys/stat.h>

struct run_timeline {
  dev_t device;
  ino_t inode;
  struct timeline timeline;
  struct run_timeline *next;
};

uint64_t
run_timelines_now(const struct run_files *files)
{
  return (uint64_t)clock_nanos(CLOCK_MONOTONIC) - files->started;
}

struct timeline *
run_timelines_find(struct run_files *files, const char *path)
{
  struct run_timeline **at = &files->timelines;
  struct stat status;
  if (files->interval == 0 || stat(path, &status) != 0)
    return NULL;
  while (*at != NULL &&
         ((*at)->device != status.st_dev || (*at)->inode != status.st_ino))
    at = &(*at)->next;
  if (*at == NULL && (*at = calloc(1, sizeof **at)) != NULL)
    **at = (struct run_timeline){
        .device = status.st_dev,
        .inode = status.st_ino,
        .timeline = {.interval = files->interval, .last = files->read}};
  return *at == NULL ? NULL : &(*at)->timeline;
}

static bool
take(struct run_files *files, char *path, const char *process)
{
  struct timeline *timeline = run_timelines_find(files, path);
  (void)process;
  if (timeline != NULL)
    timeline_take_file(timeline, path, files->reading);
  return true;
}

void
run_timelines_take(struct run_files *files)
{
  pthread_mutex_lock(&files->timelines_lock);
  files->reading = run_timelines_now(files);
  take(files, files->path, NULL);
  run_files_others(files, take);
  files->read = files->reading;
  pthread_mutex_unlock(&files->timelines_lock);
}

/* Drops the one that is at AT. */
static void
drop(struct run_timeline **at)
{
  struct run_timeline *gone = *at;
  *at = gone->next;
  timeline_release(&gone->timeline);
  free(gone);
}

void
run_timelines_drop(struct run_files *files, const struct timeline *timeline)
{
  struct run_timeline **at = &files->timelines;
  while (*at != NULL && &(*at)->timeline != timeline)
    at = &(*at)->next;
  if (*at != NULL)
    drop(at);
}

void
run_timelines_release(struct run_files *files)
{
  while (files->timelines != NULL)
    drop(&files->timelines);
}
