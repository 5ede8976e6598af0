/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was found is in a file that both processes have: a struct answer, and
 * the records of losses.
 */

#include "reach/search.h"

#include "base/array.h"
#include "recover/image_hold.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 600 /* then the search is given up */ };

struct answer {
  char why[SEARCH_WHY_BYTES]; /* nothing was found; or empty */
  uint64_t unfound, count;
};

/* ---- the process that searches ----------------------------------------- */

static void
search_and_tell(const char *path, const struct image_search *search, FILE *to)
{
  struct losses losses = {.count = 0};
  struct answer answer = {.why = ""};
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, NULL);
  signal(SIGALRM, SIG_DFL);
  alarm(SECONDS);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char *why = reach_find(&losses, path, search);
  if (why != NULL)
    snprintf(answer.why, sizeof answer.why, "%s", why);
  answer.unfound = losses.unfound;
  answer.count = losses.count;
  fwrite(&answer, sizeof answer, 1, to);
  if (losses.count > 0)
    fwrite(losses.leaves, sizeof *losses.leaves, losses.count, to);
  fflush(to);
  _exit(0);
}

/* ---- this process ------------------------------------------------------ */

/* Reads what the other process tells.  False: WHY nothing was found. */
static bool
hear(FILE *from, struct losses *losses, char *why)
{
  struct answer answer = {.why = "the search has failed, or took too long"};
  bool good =
      fread(&answer, sizeof answer, 1, from) == 1 && answer.why[0] == '\0';
  if (good) {
    losses->leaves = array_zeroed(answer.count, sizeof *losses->leaves);
    losses->count = answer.count;
    losses->unfound = answer.unfound;
    good = losses->leaves != NULL &&
           fread(losses->leaves, sizeof *losses->leaves, answer.count,
                 from) == answer.count;
    snprintf(answer.why, sizeof answer.why, "out of memory");
  }
  if (!good)
    snprintf(why, SEARCH_WHY_BYTES, "%s", answer.why);
  return good;
}

static bool
search(struct losses *losses, const char *path,
       const struct image_search *search, char *why)
{
  const int file = memfd_create("mprof", MFD_CLOEXEC);
  FILE *answer = file < 0 ? NULL : fdopen(file, "w+");
  const pid_t child = answer == NULL ? -1 : fork();
  if (child == 0)
    search_and_tell(path, search, answer);
  snprintf(why, SEARCH_WHY_BYTES, "%s", strerror(errno));
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (answer != NULL)
    rewind(answer);
  bool good = child > 0 && hear(answer, losses, why);
  if (answer != NULL)
    fclose(answer);
  return good;
}

/* Searches, and lets the program go on. */
static bool
serve(struct searches *searches, const char *path, struct image_search *asked,
      char *why)
{
  const struct image_search copy = *asked;
  struct found_losses found = {.losses = {.count = 0}};
  struct stat status;
  bool good =
      stat(path, &status) == 0 && search(&found.losses, path, &copy, why);
  found.device = status.st_dev;
  found.inode = status.st_ino;
  if (good && !ARRAY_PUSH(searches->items, searches->count,
                          searches->capacity, found)) {
    snprintf(why, SEARCH_WHY_BYTES, "out of memory");
    good = false;
  }
  if (!good)
    free(found.losses.leaves);
  __atomic_store_n(&asked->state, SEARCH_NONE, __ATOMIC_RELEASE);
  return good;
}

bool
searches_serve(struct searches *searches, const char *path,
               char why[SEARCH_WHY_BYTES])
{
  uint32_t asked = SEARCH_ASKED;
  bool good = true;
  struct stripes *shared = image_map_stripes(path);
  if (shared == NULL)
    return true;
  why[0] = '\0';
  if (__atomic_compare_exchange_n(&shared->search.state, &asked, SEARCH_BEGUN,
                                  false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    good = serve(searches, path, &shared->search, why);
  image_unmap_stripes(shared);
  return good;
}

/* The later one holds, if a process has waited twice. */
bool
searches_take(struct searches *searches, const char *path,
              struct losses *losses)
{
  struct stat status;
  *losses = (struct losses){.count = 0};
  if (stat(path, &status) != 0)
    return false;
  for (size_t i = searches->count; i-- > 0;) {
    struct found_losses *found = &searches->items[i];
    if (found->device != status.st_dev || found->inode != status.st_ino)
      continue;
    if (losses->leaves == NULL)
      *losses = found->losses;
    else
      free(found->losses.leaves);
    found->losses.leaves = NULL;
  }
  return losses->leaves != NULL;
}

void
searches_release(struct searches *searches)
{
  for (size_t i = 0; i < searches->count; i++)
    free(searches->items[i].losses.leaves);
  free(searches->items);
}
