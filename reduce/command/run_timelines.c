/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The timelines of the images of `mprof run' (recover/timeline.h).  An image
 * whose process became another program gets another name, so images are
 * known by their file and not by its name.
 */

#include "command/run_files.h"

#include "recover/timeline.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct run_timeline {
  dev_t device;
  ino_t inode;
  struct timeline timeline;
  struct run_timeline *next;
};

uint64_t
run_timelines_now(const struct run_files *files)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec -
         files->started;
}

/* Where the timeline of the image PATH is, or would be. */
static struct run_timeline **
find(struct run_files *files, const char *path, struct stat *status)
{
  struct run_timeline **at = &files->timelines;
  if (stat(path, status) != 0)
    return NULL;
  while (*at != NULL &&
         ((*at)->device != status->st_dev || (*at)->inode != status->st_ino))
    at = &(*at)->next;
  return at;
}

const struct timeline *
run_timelines_find(struct run_files *files, const char *path)
{
  struct stat status;
  struct run_timeline **at = find(files, path, &status);
  return at == NULL || *at == NULL ? NULL : &(*at)->timeline;
}

static bool
take(struct run_files *files, char *path, const char *process)
{
  struct stat status;
  struct run_timeline **at = find(files, path, &status);
  (void)process;
  if (at != NULL && *at == NULL) {
    *at = calloc(1, sizeof **at);
    if (*at != NULL) {
      (*at)->device = status.st_dev;
      (*at)->inode = status.st_ino;
      (*at)->timeline.interval = files->interval;
    }
  }
  if (at != NULL && *at != NULL)
    timeline_take_file(&(*at)->timeline, path, run_timelines_now(files));
  return true;
}

void
run_timelines_take(struct run_files *files)
{
  pthread_mutex_lock(&files->timelines_lock);
  take(files, files->path, NULL);
  run_files_others(files, take);
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
