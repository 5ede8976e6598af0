/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether there is still somebody to answer is looked at now and then: who
 * answers holds a lock for as long as it lives.
 */

#include "command/control.h"

#include "command/debugger.h"
#include "command/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
  LOOK_MILLISECONDS = 10,
  EXEC_MILLISECONDS = 1000 /* a new program has begun by then */
};

/* ---- the file ---------------------------------------------------------- */

static bool
fail(const char *what, int why, struct mprof_error *error)
{
  return mprof_fail(error, MPROF_CANNOT_RUN,
                    "cannot query the program: %s%s%s", what,
                    why == 0 ? "" : ": ", why == 0 ? "" : strerror(why));
}

static bool
init_lock(pthread_mutex_t *lock)
{
  pthread_mutexattr_t how;
  bool good = pthread_mutexattr_init(&how) == 0;
  if (!good)
    return false;
  good = pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0 &&
         pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0 &&
         pthread_mutex_init(lock, &how) == 0;
  pthread_mutexattr_destroy(&how);
  return good;
}

bool
control_open(struct control *control, struct mprof_error *error)
{
  void *page = MAP_FAILED;
  *control = (struct control){.file = memfd_create("mprof", MFD_CLOEXEC)};
  if (control->file >= 0 &&
      ftruncate(control->file,
                CONTROL_PAGE_BYTES + (off_t)CONTROL_SNAPSHOT_BYTES) == 0)
    page = mmap(NULL, CONTROL_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                control->file, 0);
  if (page == MAP_FAILED || !init_lock(page)) {
    fail("no shared memory", errno, error);
    if (page != MAP_FAILED)
      munmap(page, CONTROL_PAGE_BYTES);
    if (control->file >= 0)
      close(control->file);
    return false;
  }
  control->page = page;
  pthread_mutex_init(&control->one, NULL);
  snprintf(control->path, sizeof control->path, "/proc/%ld/fd/%d",
           (long)getpid(), control->file);
  return true;
}

void
control_close(struct control *control)
{
  munmap(control->page, CONTROL_PAGE_BYTES);
  close(control->file);
  pthread_mutex_destroy(&control->one);
  code_names_release(&control->names);
}

void
control_program_ended(struct control *control, const char *file)
{
  pthread_mutex_lock(&control->one);
  control->ended = file;
  pthread_mutex_unlock(&control->one);
}

/* ---- a request --------------------------------------------------------- */

static uint64_t
milliseconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whether no thread is there to answer.  A request that it had taken then
 * fails. */
static bool
is_deserted(struct control_page *page)
{
  int status = pthread_mutex_trylock(&page->answerer);
  if (status == EBUSY)
    return false;
  if (status == EOWNERDEAD)
    pthread_mutex_consistent(&page->answerer);
  if (__atomic_load_n(&page->state, __ATOMIC_ACQUIRE) == CONTROL_TAKEN)
    control_answer(page, ESRCH);
  pthread_mutex_unlock(&page->answerer);
  return true;
}

/* Why nobody answers, and nobody will; NULL: somebody still may. */
static const char *
reason_of(const struct control_page *page)
{
  if (page->process != 0 &&
      process_state_is_end(process_state((size_t)page->process)))
    return "it has ended";
  return page->reason[0] != '\0' ? page->reason : NULL;
}

/* A request under way: until when, and since when nobody was there to answer
 * (0: somebody is). */
struct patience {
  uint64_t end, deserted;
};

/* Waits until the state is not OLD.  False: ERROR says why it still is. */
static bool
wait_while(struct control_page *page, uint32_t old, struct patience *patience,
           struct mprof_error *error)
{
  const struct timespec look = {.tv_nsec = LOOK_MILLISECONDS * 1000000};
  while (__atomic_load_n(&page->state, __ATOMIC_ACQUIRE) == old) {
    uint64_t now = milliseconds_now();
    const char *reason = NULL;
    if (!is_deserted(page))
      patience->deserted = 0;
    else if (patience->deserted == 0)
      patience->deserted = now;
    if (patience->deserted != 0)
      reason = reason_of(page);
    if (reason != NULL)
      return fail(reason, 0, error);
    if (patience->deserted != 0 && page->process != 0 &&
        now - patience->deserted >= EXEC_MILLISECONDS)
      return fail("it now runs another program, which is not profiled", 0,
                  error);
    if (now >= patience->end)
      return fail(page->process == 0 ? "no profiled program has started"
                  : old == CONTROL_TAKEN
                      ? "it takes too long to answer"
                      : "it does not answer; is it stopped?",
                  0, error);
    control_wait(&page->state, old, &look);
  }
  return true;
}

/* Has the program do what REQUEST says.  One that took too long is waited for
 * first. */
static bool
make_request(struct control_page *page, enum control_request request,
             unsigned milliseconds, struct mprof_error *error)
{
  struct patience patience = {.end = milliseconds_now() + milliseconds};
  if (!wait_while(page, CONTROL_TAKEN, &patience, error))
    return false;
  page->request = request;
  __atomic_store_n(&page->state, CONTROL_ASKED, __ATOMIC_RELEASE);
  control_ring(page);
  if (!wait_while(page, CONTROL_ASKED, &patience, error) &&
      control_change(page, CONTROL_ASKED, CONTROL_IDLE))
    return false;
  mprof_error_clear(error);
  if (!wait_while(page, CONTROL_TAKEN, &patience, error))
    return false;
  return page->status == 0 ||
         fail(page->status == ESRCH ? "it has ended, or runs another program"
                                    : "it cannot answer",
              page->status == ESRCH ? 0 : page->status, error);
}

bool
control_ask(struct control *control, enum control_request request,
            unsigned milliseconds, struct control_figures *figures,
            struct mprof_error *error)
{
  bool good;
  pthread_mutex_lock(&control->one);
  good = control->ended == NULL
             ? make_request(control->page, request, milliseconds, error)
             : fail("it has ended", 0, error);
  if (good)
    *figures = control->page->figures;
  pthread_mutex_unlock(&control->one);
  return good;
}

/* ---- a snapshot -------------------------------------------------------- */

/* Reads what the program has written, and gives its memory back. */
static bool
read_snapshot(struct control *control, bool lossless, struct profile *profile,
              struct mprof_error *error)
{
  size_t length = control->page->length;
  struct input_octets octets = {.length = length};
  void *map = length == 0 || length > CONTROL_SNAPSHOT_BYTES
                  ? MAP_FAILED
                  : mmap(NULL, length, PROT_READ, MAP_SHARED, control->file,
                         CONTROL_PAGE_BYTES);
  if (map == MAP_FAILED)
    return mprof_error_memory(error);
  octets.data = map;
  bool good =
      profile_load_octets(profile, octets, lossless, &control->names, error);
  munmap(map, length);
  fallocate(control->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            CONTROL_PAGE_BYTES, CONTROL_SNAPSHOT_BYTES);
  return good;
}

static bool
read_last(struct control *control, bool lossless, struct profile *profile,
          struct mprof_error *error)
{
  struct input_name name = {.path = (char *)(uintptr_t)control->ended};
  const struct input_list list = {.files = &name, .count = 1};
  return profile_load_list(profile, &list, lossless, &control->names, NULL,
                           error);
}

bool
control_snapshot(struct control *control, bool lossless,
                 unsigned milliseconds, struct profile *profile,
                 struct mprof_error *error)
{
  bool good;
  memset(profile, 0, sizeof *profile);
  pthread_mutex_lock(&control->one);
  if (control->ended != NULL)
    good = read_last(control, lossless, profile, error);
  else
    good =
        make_request(control->page, CONTROL_SNAPSHOT, milliseconds, error) &&
        read_snapshot(control, lossless, profile, error);
  pthread_mutex_unlock(&control->one);
  return good;
}
