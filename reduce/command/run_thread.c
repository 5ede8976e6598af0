/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is done with the files of run_files.h while the program runs, and at
 * its end.  A process has its image mapped as long as it counts in it: so it
 * is known whether a file is complete.
 */

#include "base/clock.h"
#include "command/command.h"
#include "command/load.h"
#include "command/run_files.h"
#include "command/run_program.h"
#include "common/pprof_format.h"
#include "images/image_reader.h"
#include "leak_search/reach.h"
#include "tables/table.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- images ------------------------------------------------------------ */

struct run_image *
run_image_find(struct run_files *files, const char *path)
{
  struct stat status;
  if ((files->interval == 0 && !files->seeks) || stat(path, &status) != 0)
    return NULL;
  pthread_mutex_lock(&files->lock);
  struct run_image *image = files->images;
  while (image != NULL &&
         (image->device != status.st_dev || image->inode != status.st_ino))
    image = image->next;
  if (image == NULL && (image = calloc(1, sizeof *image)) != NULL) {
    image->next = files->images;
    image->device = status.st_dev;
    image->inode = status.st_ino;
    image->timeline.interval = files->interval;
    image->timeline.last = files->read;
    files->images = image;
  }
  pthread_mutex_unlock(&files->lock);
  return image;
}

void
run_image_drop(struct run_files *files, struct run_image *image)
{
  struct run_image **at = &files->images;
  if (image == NULL)
    return;
  pthread_mutex_lock(&files->lock);
  while (*at != image)
    at = &(*at)->next;
  *at = image->next;
  pthread_mutex_unlock(&files->lock);
  timeline_release(&image->timeline);
  free(image->losses.leaves);
  free(image);
}

/* Returns how long the program has run, in nanoseconds. */
static uint64_t
time_now(const struct run_files *files)
{
  return (uint64_t)clock_nanos(CLOCK_MONOTONIC) - files->started;
}

static bool
take(struct run_files *files, char *path, const char *process)
{
  struct run_image *image = run_image_find(files, path);
  (void)process;
  if (image != NULL)
    timeline_read(&image->timeline, path, (struct input_octets){NULL, 0}, 0,
                  files->reading, 0);
  return true;
}

/* Reads all images, and so ends a slice of each: at one time, so that slices
 * of different processes are the same. */
static void
take_timelines(struct run_files *files)
{
  pthread_mutex_lock(&files->timelines_lock);
  files->reading = time_now(files);
  run_files_each(files, true, take, false);
  files->read = files->reading;
  pthread_mutex_unlock(&files->timelines_lock);
}

/* ---- what programs have lost ------------------------------------------- */

static bool
search_file(struct run_files *files, char *path, const char *process)
{
  char why[SEARCH_WHY_BYTES];
  struct losses losses = {NULL, 0, 0};
  (void)process;
  if (!reach_search(path, &losses, why))
    mprof_say("cannot find what is lost in '%s': %s", path, why);
  struct run_image *image =
      losses.leaves == NULL ? NULL : run_image_find(files, path);
  if (image != NULL) {
    free(image->losses.leaves); /* if the process has waited before */
    image->losses = losses;
  } else {
    free(losses.leaves);
  }
  return true;
}

/* Finds what is lost in each program that waits for that. */
static void
search_all(struct run_files *files)
{
  if (files->seeks)
    run_files_each(files, true, search_file, false);
}

/* Waits NANOSECONDS, or until a program waits; then searches.  With 0 it
 * searches only if one waits. */
static void
wait_and_search(struct run_files *files, long nanoseconds)
{
  const struct timespec pause = {.tv_nsec = nanoseconds};
  sigset_t wakes;
  sigemptyset(&wakes);
  sigaddset(&wakes, RUN_FILES_SIGNAL);
  if (sigtimedwait(&wakes, NULL, &pause) > 0 || nanoseconds > 0)
    search_all(files);
}

/* ---- files that are complete ------------------------------------------- */

/* Returns whether the program of PROFILE has ECL in it, whose objects come
 * from the collector and not from malloc. */
static bool
has_ecl(const struct profile *profile)
{
  for (size_t i = 0; i < profile->mapping_count; i++)
    if (strstr(names_text(&profile->names, profile->mappings[i].file),
               "/libecl.so") != NULL)
      return true;
  return false;
}

static void
add_sums(struct run_sums *sums, const struct profile *profile)
{
  sums->allocs += profile->total[MEASURE_ALLOCS];
  sums->bytes += profile->total[MEASURE_BYTES];
  sums->kept += profile->total[MEASURE_KEPT_BYTES];
  sums->lost += profile->total[MEASURE_LOST_BYTES];
  sums->lost_indirectly += profile->total[COLUMN_OF_INDIRECT_BYTES];
  sums->sought = sums->sought || profile_has(profile, MEASURE_LOST_BYTES);
  const char *uncounted =
      profile_comment(profile, PPROF_COMMENT_ALLOCATOR_NOTE);
  if (uncounted != NULL)
    snprintf(sums->uncounted, sizeof sums->uncounted, "%s", uncounted);
  sums->ecl =
      sums->ecl || (profile->language == LANGUAGE_C && has_ecl(profile));
}

/* Adds what PROFILE says of leaks, and LISTING, the table of them, unless it
 * does not say what was lost.  ROOT: it is of FILE. */
static void
add_leaks(struct run_leaks *leaks, const struct profile *profile,
          const struct listing *listing, bool root)
{
  if (profile->language != LANGUAGE_C || has_ecl(profile))
    leaks->unchecked = "it has Lisp objects";
  if (!profile_has(profile, MEASURE_LOST_BYTES)) {
    if (root && leaks->unchecked == NULL)
      leaks->unchecked =
          "what it lost is not known; a line above may say why";
    return; /* others became another program, or were killed */
  }
  const struct figures *total = listing_total(listing).figures;
  const struct ranking_row *first = listing->ranking.rows;
  leaks->bytes += total->kept_bytes;
  leaks->objects += total->kept_allocs;
  if (listing->ranking.count == 0 || first->figures->kept_bytes < leaks->most)
    return;
  if (first->figures->kept_bytes > leaks->most ||
      strncmp(first->name, leaks->site, sizeof leaks->site - 1) < 0) {
    leaks->most = first->figures->kept_bytes;
    snprintf(leaks->site, sizeof leaks->site, "%s", first->name);
  }
}

struct finishing {
  struct run_files *files;
  char *path;
  const char *process;
  struct run_image *image;
  bool reads; /* the image, under code_lock */
};

static void
finish(void *closure)
{
  struct finishing *finishing = closure;
  const struct run_image *image = finishing->image;
  struct run_files *files = finishing->files;
  const char *process = finishing->process;
  struct input_name name = {.path = finishing->path};
  const struct input_list list = {.files = &name, .count = 1};
  struct profile profile = {0};
  struct listing listing;
  if (image != NULL && image->losses.leaves != NULL)
    name.options.losses = &image->losses;
  if (files->interval != 0 && image != NULL)
    name.options.timeline = &image->timeline;
  pthread_mutex_lock(&files->code_lock);
  finishing->reads = true;
  profile_load_list(&profile, &list, true, &files->code);
  finishing->reads = false;
  pthread_mutex_unlock(&files->code_lock);
  if (profile.total[MEASURE_ALLOCS] == 0) {
    if (unlink(name.path) != 0)
      fail_with(MPROF_CANNOT_WRITE, "cannot remove '%s': %s", name.path,
                strerror(errno));
    return;
  }
  if (process != NULL)
    profile_add_comment(
        &profile,
        names_intern(&profile.names,
                     pool_format(PPROF_COMMENT_PROCESS "=%s", process)));
  /* on the disk for sure: that of the program that the user started */
  profile_save(&profile, name.path, process == NULL);
  if (files->view != NULL && profile_has(&profile, MEASURE_LOST_BYTES))
    listing_init(&listing, &leaks_table, view_make(&profile, files->view),
                 FORM_TEXT);
  pthread_mutex_lock(&files->lock); /* nothing fails until it is unlocked */
  add_sums(&files->sums, &profile);
  if (files->view != NULL)
    add_leaks(&files->sums.leaks, &profile, &listing, process == NULL);
  files->sums.root = files->sums.root || process == NULL;
  files->sums.files += process != NULL;
  pthread_mutex_unlock(&files->lock);
}

/* Returns whether the image PATH stays one, because its process may still
 * count in it.  A copy of that process also has it mapped, until the copy
 * first counts.  So at the end of the program the process is looked for. */
static bool
is_still_used(const struct run_files *files, const char *path)
{
  struct image_head head;
  return image_read_head(path, &head) && image_is_used(path, &head) &&
         !(files->ended && kill((pid_t)head.process, 0) != 0 &&
           errno == ESRCH);
}

/* Makes the image PATH a profile, or removes it if it has counted nothing; an
 * image that is still used stays.  First searches for programs that wait, as
 * they must not wait for this.  Takes all locks.  Returns false if it fails:
 * the error of FILES says why. */
static bool
finish_file(struct run_files *files, char *path, const char *process)
{
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  struct image_head head;
  struct stat status;
  if (!files->ended)
    wait_and_search(files, 0);
  if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
      is_still_used(files, path))
    return true;
  if (files->interval != 0)
    pthread_mutex_lock(&files->timelines_lock);
  struct finishing finishing = {files, path, process,
                                run_image_find(files, path), false};
  const bool good = attempt(&pool, finish, &finishing, &error);
  if (finishing.reads) {
    code_names_release(&files->code);
    pthread_mutex_unlock(&files->code_lock);
  }
  run_image_drop(files, finishing.image);
  if (files->interval != 0)
    pthread_mutex_unlock(&files->timelines_lock);
  pool_release(&pool);
  pthread_mutex_lock(&files->lock);
  if (!good && files->error.message[0] == '\0') {
    files->error = error;
    if (image_read_head(path, &head))
      mprof_line(files->error.message, "%s; it is still the program's "
                 "image, which can be read", error.message);
  }
  pthread_mutex_unlock(&files->lock);
  return good;
}

/* Searches, ends slices of time and finishes files, until the program ends.
 * A program that waits wakes it up, and so does the end. */
static void *
finish_again_and_again(void *closure)
{
  enum { NANOSECONDS = 300000000 };
  struct run_files *files = closure;
  uint64_t finish = time_now(files) + NANOSECONDS;
  uint64_t take = files->interval == 0 ? UINT64_MAX : files->interval;
  while (!files->ended) {
    const uint64_t next = finish < take ? finish : take;
    const uint64_t now = time_now(files);
    wait_and_search(files, next > now ? (long)(next - now) : 1);
    if (time_now(files) >= take) {
      take_timelines(files);
      take += (time_now(files) - take) / files->interval * files->interval +
              files->interval;
    }
    if (time_now(files) < finish)
      continue;
    if (files->error.message[0] == '\0')
      run_files_each(files, false, finish_file, false);
    finish = time_now(files) + NANOSECONDS;
  }
  return NULL;
}

bool
run_thread_begin(pthread_t *thread, void *(*run)(void *), void *closure)
{
  pthread_attr_t attributes;
  sigset_t before;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, COMMAND_STACK_BYTES);
  run_signals_block(&before);
  const bool good = pthread_create(thread, &attributes, run, closure) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

void
run_files_begin(struct run_files *files, bool seeks, uint64_t interval)
{
#ifdef M_TRIM_THRESHOLD /* an image takes the memory of the last */
  enum { KEPT_BYTES = 32 << 20 };
  mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
  files->seeks = seeks;
  files->interval = interval;
  files->started = time_now(files);
  files->begun =
      run_thread_begin(&files->thread, finish_again_and_again, files);
}

bool
run_files_finish(struct run_files *files, struct mprof_error *error)
{
  files->ended = true;
  if (files->begun) {
    pthread_kill(files->thread, RUN_FILES_SIGNAL);
    pthread_join(files->thread, NULL);
    files->begun = false;
  }
  search_all(files); /* of processes that end after the program */
  const bool good = files->error.message[0] == '\0' &&
                    run_files_each(files, true, finish_file, true);
  const int reason = errno;
  *error = files->error;
  if (!good && error->message[0] == '\0')
    mprof_line(error->message, "cannot write '%s': %s", files->name,
               strerror(reason));
  return good;
}
