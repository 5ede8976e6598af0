/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds what a program has lost, by a mark from the roots in a process of its
 * own.  Objects that are still to be read are linked through themselves, so
 * that no structure of the program, however deep, takes stack.  The result is
 * in a file that both processes map: a struct answer, and records of losses.
 */

#include "leak_search/reach.h"

#include "images/image_reader.h"
#include "leak_search/stopped_program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 600 /* then the search is given up */ };

struct answer {
  char why[SEARCH_WHY_BYTES]; /* nothing was found; or empty */
  uint64_t unfound, count;
};

struct reach {
  const char *path; /* of the image */
  const struct image_search *search;
  struct traced_threads threads;
  struct remote_memory memory;
  struct image image;
  struct c_counters counters;
  struct heap_objects heap;
  uint64_t low, high;   /* of all objects */
  uint32_t pending;     /* the first to be looked into; its number and 1 */
  uint32_t leader;      /* the lost object that led to them */
  bool roots;           /* these do */
  struct losses losses; /* what was found */
};

/* ---- the search -------------------------------------------------------- */

static uint32_t
number_of(const struct reach *r, const struct heap_object *o)
{
  return (uint32_t)(o - r->heap.objects);
}

static void
look_into(struct reach *r, struct heap_object *o,
          enum heap_object_state state)
{
  o->state = state;
  o->next = r->pending;
  r->pending = number_of(r, o) + 1;
}

/* Notes what the words lead to.  A block that was lost directly until now is
 * lost indirectly after all, unless it is where the search began. */
static void
visit_words(void *closure, uint64_t address, const char *bytes, size_t length)
{
  struct reach *r = closure;
  uint64_t word;
  for (size_t at = -address % sizeof word; at + sizeof word <= length;
       at += sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    struct heap_object *o = word - r->low < r->high - r->low
                                ? heap_objects_find(&r->heap, word)
                                : NULL;
    if (o == NULL)
      continue;
    if (o->state == OBJECT_UNSEEN)
      look_into(r, o, r->roots ? OBJECT_REACHED : OBJECT_LOST_INDIRECTLY);
    else if (!r->roots && o->state == OBJECT_LOST &&
             number_of(r, o) != r->leader)
      o->state = OBJECT_LOST_INDIRECTLY;
  }
}

static void
look_into_pending(struct reach *r)
{
  while (r->pending != 0) {
    const struct heap_object *o = &r->heap.objects[r->pending - 1];
    r->pending = o->next;
    remote_memory_visit(&r->memory, o->address, o->address + o->bytes,
                        visit_words, r);
  }
}

static void
find_lost(struct reach *r)
{
  for (size_t i = 0; i < r->heap.count; i++)
    if (r->heap.objects[i].state == OBJECT_UNSEEN) {
      r->leader = (uint32_t)i;
      look_into(r, &r->heap.objects[i], OBJECT_LOST);
      look_into_pending(r);
    }
}

static void
search(struct reach *r)
{
  const struct roots roots = {.memory = &r->memory,
                              .heap = &r->heap,
                              .threads = &r->threads,
                              .search = r->search,
                              .tree = r->counters.tree,
                              .process = (pid_t)r->image.head.process,
                              .visit = visit_words,
                              .closure = r};
  if (r->heap.count > 0) {
    const struct heap_object *last = &r->heap.objects[r->heap.count - 1];
    r->low = r->heap.objects->address;
    r->high = last->address + last->bytes + 1;
  }
  r->roots = true;
  roots_visit(&roots);
  look_into_pending(r);
  r->roots = false;
  find_lost(r);
}

/* Adds up losses.  Objects neither freed nor found count as reachable. */
static void
sum_up(struct reach *r)
{
  struct losses *losses = &r->losses;
  const uint32_t leaves = r->counters.tree->leaf_count;
  uint64_t kept = 0, listed = 0;
  losses->leaves = pool_zeroed(leaves, sizeof *losses->leaves);
  losses->count = leaves;
  for (uint32_t i = LEAF_OVERFLOW; i < leaves; i++) {
    const struct leaf_counters *leaf = &r->counters.by_leaf[i];
    kept += leaf->allocated.count - leaf->freed.count;
  }
  for (size_t i = 0; i < r->heap.count; i++) {
    const struct heap_object *o = &r->heap.objects[i];
    if (o->leaf == 0 || o->leaf >= leaves)
      continue;
    struct leaf_loss *loss = &losses->leaves[o->leaf];
    struct object_count *tally =
        o->state == OBJECT_LOST ? &loss->direct : &loss->indirect;
    listed++;
    if (o->state != OBJECT_REACHED) {
      tally->count++;
      tally->bytes += o->bytes;
    }
  }
  losses->unfound = kept > listed ? kept - listed : 0;
}

/* ---- what it is done with ---------------------------------------------- */

/* Stops PROCESS while no thread changes the table of objects; fails if one
 * never ends that. */
static void
stop_outside(struct reach *r, pid_t process)
{
  enum { TRIES = 50 };
  const struct timespec pause = {.tv_nsec = 2000000};
  for (int i = 0; i < TRIES; i++) {
    uint64_t holder = 0;
    traced_threads_stop(&r->threads, process);
    r->memory.thread = r->threads.threads->number;
    remote_memory_load(&r->memory, r->search->objects_lock, &holder,
                       sizeof holder);
    if (holder == 0)
      return;
    traced_threads_resume(&r->threads);
    nanosleep(&pause, NULL);
  }
  fail_with(MPROF_CANNOT_RUN, "a signal interrupted an allocation");
}

static void
find(void *closure)
{
  struct reach *r = closure;
  struct image_head head;
  struct stat status;
  if (!image_read_head(r->path, &head) || stat(r->path, &status) != 0)
    fail_with(MPROF_CANNOT_READ, "its image is gone");
  stop_outside(r, (pid_t)head.process);
  remote_memory_open(&r->memory, r->threads.threads->number, status.st_ino);
  image_read(&r->image, r->path, (struct input_octets){0});
  c_counters_find(&r->counters, &r->image);
  heap_objects_list(&r->heap, &r->memory, &r->counters.stripes, r->search);
  search(r);
  sum_up(r);
}

/* Stops the process that counts in the image PATH, and looks for what it has
 * lost, by what SEARCH says.  For a process with one thread, see
 * stopped_program.h; it ends then, and the other process goes on. */
static _Noreturn void
search_and_tell(const char *path, const struct image_search *search, FILE *to)
{
  struct reach r = {.path = path, .search = search};
  struct answer answer = {.why = ""};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, NULL);
  signal(SIGALRM, SIG_DFL);
  alarm(SECONDS);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (attempt(&pool, find, &r, &error)) {
    answer.unfound = r.losses.unfound;
    answer.count = r.losses.count;
  } else {
    snprintf(answer.why, sizeof answer.why, "%.*s", SEARCH_WHY_BYTES - 1,
             error.message);
  }
  traced_threads_resume(&r.threads);
  fwrite(&answer, sizeof answer, 1, to);
  if (answer.count > 0)
    fwrite(r.losses.leaves, sizeof *r.losses.leaves, answer.count, to);
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
    losses->leaves = calloc(answer.count + 1, sizeof *losses->leaves);
    losses->count = answer.count;
    losses->unfound = answer.unfound;
    good = losses->leaves != NULL &&
           fread(losses->leaves, sizeof *losses->leaves, answer.count,
                 from) == answer.count;
    snprintf(answer.why, sizeof answer.why, "out of memory");
  }
  if (!good) {
    snprintf(why, SEARCH_WHY_BYTES, "%s", answer.why);
    free(losses->leaves);
    losses->leaves = NULL;
  }
  return good;
}

static bool
search_apart(struct losses *losses, const char *path,
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

bool
reach_search(const char *path, struct losses *losses,
             char why[SEARCH_WHY_BYTES])
{
  uint32_t asked = SEARCH_ASKED;
  bool good = true;
  struct stripes *shared = image_map_stripes(path);
  if (shared == NULL)
    return true;
  struct image_search *search = &shared->search;
  if (__atomic_compare_exchange_n(&search->state, &asked, SEARCH_BEGUN, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    const struct image_search copy = *search;
    good = search_apart(losses, path, &copy, why);
    __atomic_store_n(&search->state, SEARCH_NONE, __ATOMIC_RELEASE);
  }
  image_unmap_stripes(shared);
  return good;
}
