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
  struct losses losses;       /* the leaves follow */
};

struct reach {
  const char *path; /* of the image */
  struct stopped_program program;
  struct answer answer;
};

/* ---- the search -------------------------------------------------------- */

static uint32_t
number_of(const struct stopped_program *p, const struct heap_object *o)
{
  return (uint32_t)(o - p->heap.objects);
}

static void
look_into(struct stopped_program *p, struct heap_object *o,
          enum heap_object_state state)
{
  o->state = state;
  o->next = p->pending;
  p->pending = number_of(p, o) + 1;
}

/* Takes a block that was lost directly until now as lost indirectly after
 * all, unless it is where the search began.  What leads to an object of a
 * pool leads to the block that it is in, too, which the program can free by
 * that; but not where the object is lost. */
void
objects_mark(struct stopped_program *p, uint64_t address, const char *bytes,
             size_t length)
{
  uint64_t word;
  for (size_t at = -address % sizeof word; at + sizeof word <= length;
       at += sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    struct heap_object *o = word - p->low < p->high - p->low
                                ? heap_objects_find(&p->heap, word)
                                : NULL;
    for (; o != NULL; o = p->roots ? heap_objects_outer(&p->heap, o) : NULL)
      if (o->state == OBJECT_UNSEEN)
        look_into(p, o, p->roots ? OBJECT_REACHED : OBJECT_LOST_INDIRECTLY);
      else if (!p->roots && o->state == OBJECT_LOST &&
               number_of(p, o) != p->leader)
        o->state = OBJECT_LOST_INDIRECTLY;
  }
}

/* Looks into what is pending, but not into objects of pools that are in it.
 */
static void
look_into_pending(struct stopped_program *p)
{
  const struct heap_object *const all = p->heap.objects;
  while (p->pending != 0) {
    const struct heap_object *const o = &all[p->pending - 1];
    const uint64_t end = o->address + o->bytes;
    uint64_t at = o->address;
    p->pending = o->next;
    for (const struct heap_object *in = o + 1;
         in < all + p->heap.count && in->outer != 0 && in->address < end;
         in++) {
      if (in->address > at)
        memory_visit(p, at, in->address, objects_mark);
      if (in->address + in->bytes > at)
        at = in->address + in->bytes;
    }
    memory_visit(p, at, end, objects_mark);
  }
}

static void
search(struct stopped_program *p)
{
  struct heap_object *objects = p->heap.objects;
  const size_t count = p->heap.count;
  if (count > 0) {
    p->low = objects->address;
    for (const struct heap_object *o = &objects[count - 1]; o != NULL;
         o = heap_objects_outer(&p->heap, o))
      p->high = o->address + o->bytes + 1;
  }
  p->roots = true;
  roots_mark(p);
  look_into_pending(p);
  p->roots = false;
  for (size_t i = 0; i < count; i++)
    if (objects[i].state == OBJECT_UNSEEN) {
      p->leader = (uint32_t)i;
      look_into(p, &objects[i], OBJECT_LOST);
      look_into_pending(p);
    }
}

/* Adds up losses.  Objects neither freed nor found count as reachable. */
static void
sum_up(const struct stopped_program *p, struct losses *losses)
{
  const uint32_t leaves = p->counters.tree->leaf_count;
  uint64_t kept = 0, listed = 0;
  losses->leaves = pool_zeroed(leaves, sizeof *losses->leaves);
  losses->count = leaves;
  for (uint32_t i = LEAF_OVERFLOW; i < leaves; i++) {
    const struct leaf_counters *leaf = &p->counters.by_leaf[i];
    kept += leaf->allocated.count - leaf->freed.count;
  }
  for (size_t i = 0; i < p->heap.count; i++) {
    const struct heap_object *o = &p->heap.objects[i];
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

/* Stops the process while no thread changes the table of objects; fails if
 * one never ends that. */
static void
stop_outside(struct stopped_program *p)
{
  enum { TRIES = 50 };
  const struct timespec pause = {.tv_nsec = 2000000};
  for (int i = 0; i < TRIES; i++) {
    uint64_t holder = 0;
    traced_threads_stop(&p->threads, p->process);
    p->memory.thread = p->threads.threads->number;
    remote_memory_load(&p->memory, p->search->objects_lock, &holder,
                       sizeof holder);
    if (holder == 0)
      return;
    traced_threads_resume(&p->threads);
    nanosleep(&pause, NULL);
  }
  fail_with(MPROF_CANNOT_RUN, "a signal interrupted an allocation");
}

static void
find(void *closure)
{
  struct reach *r = closure;
  struct stopped_program *p = &r->program;
  struct image image;
  struct stat status;
  if (!image_read_head(r->path, &image.head) || stat(r->path, &status) != 0)
    fail_with(MPROF_CANNOT_READ, "its image is gone");
  p->process = (pid_t)image.head.process;
  stop_outside(p);
  remote_memory_open(&p->memory, p->threads.threads->number, status.st_ino);
  image_read(&image, r->path, (struct input_octets){0});
  c_counters_find(&p->counters, &image);
  heap_objects_list(p);
  search(p);
  sum_up(p, &r->answer.losses);
}

/* Stops the process that counts in the image PATH, and looks for what it has
 * lost, by what SEARCH says.  For a process with one thread, see
 * stopped_program.h; it ends then, and the other process goes on. */
static _Noreturn void
search_and_tell(const char *path, const struct image_search *search, FILE *to)
{
  struct reach r = {.path = path, .program = {.search = search}};
  struct pool pool = {NULL, NULL};
  struct mprof_error error;
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, NULL);
  signal(SIGALRM, SIG_DFL);
  alarm(SECONDS);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!attempt(&pool, find, &r, &error))
    snprintf(r.answer.why, sizeof r.answer.why, "%.*s", SEARCH_WHY_BYTES - 1,
             error.message);
  traced_threads_resume(&r.program.threads);
  fwrite(&r.answer, sizeof r.answer, 1, to);
  if (r.answer.losses.count > 0)
    fwrite(r.answer.losses.leaves, sizeof *r.answer.losses.leaves,
           r.answer.losses.count, to);
  fflush(to);
  _exit(0);
}

/* ---- this process ------------------------------------------------------ */

/* Reads what the other process tells.  Returns false, and sets WHY, if
 * nothing was found. */
static bool
hear(FILE *from, struct losses *losses, char *why)
{
  struct answer answer = {.why = "the search has failed, or took too long"};
  if (fread(&answer, sizeof answer, 1, from) == 1 && answer.why[0] == '\0') {
    *losses = answer.losses;
    losses->leaves = calloc(losses->count + 1, sizeof *losses->leaves);
    if (losses->leaves != NULL &&
        fread(losses->leaves, sizeof *losses->leaves, losses->count, from) ==
            losses->count)
      return true;
    free(losses->leaves);
    losses->leaves = NULL;
    snprintf(answer.why, sizeof answer.why, "out of memory");
  }
  snprintf(why, SEARCH_WHY_BYTES, "%s", answer.why);
  return false;
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
