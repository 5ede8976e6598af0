/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads that have ended keep their counts, and are used again with the
 * malloc_thread that they belong to.
 */
#include "c/ecl/lisp_heap.h"

#include <errno.h>

#include "c/ecl/lisp_balance.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "image/image.h"
#include "lisp/names/classify.h"

struct lisp_thread *lisp_threads;

/* ---- threads ---- */

/* Under the lock.  False: there is no memory. */
static bool
reserve_tallies(struct lisp_thread *lisp, uint32_t leaf)
{
  const uint32_t room = 2 * leaf > 256 ? 2 * leaf : 256;
  if (leaf < lisp->room)
    return true;
  lisp->arena.most = sizeof *lisp->tallies << LEAF_BITS;
  if (arena_grow(&lisp->arena, room * sizeof *lisp->tallies) != 0)
    return false;
  if (lisp->tallies == NULL &&
      !image_map(&lisp->arena, 0, IMAGE_TALLIES, image_owner()))
    return false;
  lisp->tallies = lisp->arena.base;
  __atomic_store_n(&lisp->room, room, __ATOMIC_RELEASE);
  return true;
}

/* That of this thread, which is another one than before if it has served
 * another; NULL: there is no memory. */
static struct lisp_thread *
lisp_thread_of(struct malloc_thread *thread)
{
  struct lisp_thread *lisp = thread->lisp;
  struct arena arena = {0};
  if (lisp == NULL && arena_reserve(&arena, sizeof *lisp) != 0)
    return NULL;
  if (lisp == NULL) {
    lisp = thread->lisp = arena.base;
    spin_lock(&malloc_monitor.lock);
    lisp->next = lisp_threads;
    __atomic_store_n(&lisp_threads, lisp, __ATOMIC_RELEASE);
    spin_unlock(&malloc_monitor.lock);
  }
  if (lisp->thread_number != thread->thread_number) {
    lisp->thread_number = thread->thread_number;
    lisp->header.object = NULL;
    lisp_balance_join(lisp);
  }
  return lisp;
}

/* ---- bodies ---- */

/* What the object is, its header being filled in. */
static uint32_t
whole_what(cl_object object, uint32_t what)
{
  const uint32_t type = LISP_TYPE(what);
  if (type == t_array || type == t_vector)
    what = type | (uint32_t)classify_array(object);
  else if (type == t_instance && what >> NOTE_CLASS_SHIFT == 0)
    what = LISP_WHAT(type, lisp_names_class(ECL_CLASS_OF(object)));
  return what | LISP_PIECES;
}

/* Whether a request for so many bytes is for a body of the object: a stream
 * has one only if it has functions of its own. */
static bool
takes_body(const struct lisp_thread *lisp, size_t bytes)
{
  return lisp->header.bodies > 0 &&
         (LISP_TYPE(lisp->header.key >> LEAF_SIZE_BITS) != t_stream ||
          bytes == sizeof(struct ecl_file_ops));
}

static void
tally(struct lisp_thread *lisp, uint32_t leaf, uint32_t key, size_t bytes,
      int count)
{
  struct lisp_tally *const t = &lisp->tallies[leaf];
  t->count += (uint64_t)count;
  if (leaf <= LEAF_OVERFLOW ||
      (key & ((1 << LEAF_SIZE_BITS) - 1)) == LEAF_LARGE)
    t->bytes += count < 0 ? -(uint64_t)bytes : bytes;
}

/* The leaf of the whole, in the place of that of the header. */
static uint32_t
whole_leaf(struct malloc_thread *thread, struct lisp_thread *lisp,
           uint32_t key)
{
  const uint64_t header = lisp->header.leaf | (uint64_t)1 << 60;
  struct recent_leaf *const recent =
      malloc_thread_recent_leaf(thread, header, 0, key);
  uint32_t leaf;
  if (recent->site == header && recent->size == key &&
      recent->cache_generation == thread->cache_generation)
    return recent->leaf;
  spin_lock(&malloc_monitor.lock);
  leaf = malloc_monitor_leaf_like(&malloc_monitor, lisp->header.leaf, key);
  if (!reserve_tallies(lisp, leaf))
    leaf = lisp->header.leaf;
  spin_unlock(&malloc_monitor.lock);
  *recent =
      (struct recent_leaf){.site = header,
                           .size = key,
                           .leaf = leaf,
                           .cache_generation = thread->cache_generation};
  return leaf;
}

/* The object is `what', of so many bytes, and is counted as that. */
static void
recount_as(struct malloc_thread *thread, struct lisp_thread *lisp,
           uint32_t what, size_t total)
{
  const uint32_t key = size_for_leaf(total) | what << LEAF_SIZE_BITS;
  const uint32_t leaf = whole_leaf(thread, lisp, key);
  tally(lisp, lisp->header.leaf, lisp->header.key, lisp->header.bytes, -1);
  tally(lisp, leaf, key, total, 1);
  lisp->header.leaf = leaf;
  lisp->header.key = key;
  lisp->header.bytes = total;
}

/* A request for the body of the object that waits for one. */
static void
join_body(struct malloc_thread *thread, struct lisp_thread *lisp,
          size_t bytes)
{
  const size_t total = lisp->header.bytes + bytes;
  const uint32_t header = lisp->header.key >> LEAF_SIZE_BITS;
  const uint32_t what = whole_what(lisp->header.object, header);
  if (lisp_leaf_tells(header, lisp->header.bytes))
    requests_add(&lisp->requests, lisp->header.bytes, 1);
  requests_add(&lisp->requests, bytes, 1);
  recount_as(thread, lisp, what, total);
  if (--lisp->header.bodies == 0 && LISP_TYPE(what) != t_stream)
    lisp->header.object = NULL;
}

/* No body can come any more.  By now a stream says of which kind it is. */
static void
end_bodies(struct malloc_thread *thread, struct lisp_thread *lisp)
{
  const cl_object object = lisp->header.object;
  const uint32_t what = lisp->header.key >> LEAF_SIZE_BITS;
  if (LISP_TYPE(what) == t_stream && object->d.t == t_stream)
    recount_as(thread, lisp,
               what | (uint32_t)ECL_ALLOCATED_SMMODE(object->stream.mode),
               lisp->header.bytes);
  lisp->header.object = NULL;
}

/* ---- counting ---- */

static void
use_leaf(void *lisp, uint32_t leaf)
{
  reserve_tallies(lisp, leaf);
}

static uint32_t
find_leaf(struct malloc_thread *thread, struct lisp_thread *lisp,
          uint32_t key, const uintptr_t *frame)
{
  uint32_t leaf = thread->generation == stripes.generation
                      ? lisp_known_leaf(thread, key, frame)
                      : 0;
  if (leaf == 0 || leaf >= lisp->room)
    leaf = malloc_monitor_leaf(thread, key, frame, use_leaf, lisp);
  return leaf < lisp->room ? leaf : 0;
}

static bool
count_request(void *object, size_t bytes, struct lisp_request request)
{
  const uint32_t key = size_for_leaf(bytes) | request.what << LEAF_SIZE_BITS;
  struct malloc_thread *const thread = malloc_thread_mine();
  struct lisp_thread *const lisp =
      thread == NULL ? NULL : lisp_thread_of(thread);
  if (lisp == NULL)
    return false;
  if (lisp->header.object != NULL) {
    if (LISP_TYPE(request.what) == t_start && takes_body(lisp, bytes)) {
      join_body(thread, lisp, bytes);
      return true;
    }
    end_bodies(thread, lisp);
  }
  uint32_t leaf = find_leaf(thread, lisp, key, request.frame);
  if (leaf == 0)
    return !malloc_monitor_is_counting();
  tally(lisp, leaf, key, bytes, 1);
  if (bytes > LISP_FIXED_MOST || leaf <= LEAF_OVERFLOW)
    requests_add(&lisp->requests, bytes, 1);
  if (request.bodies != 0)
    lisp->header = (struct lisp_header){.object = object,
                                        .leaf = leaf,
                                        .key = key,
                                        .bodies = request.bodies,
                                        .bytes = bytes};
  return true;
}

void
lisp_heap_count_slow(void *object, size_t bytes, struct lisp_request request)
{
  const int saved = errno;
  if (!own_process_known())
    return;
  malloc_monitor_serve_request();
  if (!malloc_monitor_is_counting()) {
    lisp_balance_invalidate();
    return;
  }
  if (malloc_monitor_inside != 0) { /* it interrupted a count */
    malloc_monitor_miss();
    return;
  }
  malloc_monitor_inside++;
  if (!count_request(object, bytes, request))
    malloc_monitor_miss();
  malloc_monitor_inside--;
  errno = saved;
}

/* ---- all of it ---- */

static void
forget(void)
{
  for (struct lisp_thread *l = lisp_threads; l != NULL; l = l->next) {
    arena_clear(&l->arena);
    l->header.object = NULL;
    l->requests = (struct requests){0};
  }
  lisp_balance_forget();
}

/* The child has no tallies in an image yet. */
static void
forked(void)
{
  for (struct lisp_thread *l = lisp_threads; l != NULL; l = l->next) {
    arena_release(&l->arena);
    l->tallies = NULL;
    l->room = l->thread_number = 0;
    l->lists = NULL;
  }
  lisp_names_forked();
}

static void
map(void)
{
  for (const struct lisp_thread *l = lisp_threads; l != NULL; l = l->next)
    if (l->tallies != NULL)
      image_map(&l->arena, l->room * sizeof *l->tallies, IMAGE_TALLIES,
                image_owner());
}

/* ECL may have ended before the process does. */
static void
end(void)
{
  static bool ended;
  if (ended)
    return;
  ended = true;
  malloc_monitor_inside++;
  lisp_balance_end();
  lisp_calls_note();
  malloc_monitor_inside--;
}

/* ECL ends: it closes its libraries, and runs no Lisp any more. */
EXPORT void
ecl_library_close_all(void)
{
  lisp_runtime_begin();
  if (lisp_runtime.hooked)
    end();
  REAL(ecl_library_close_all)();
}

void
lisp_heap_open(void)
{
  static const struct other_heap heap = {
      .map = map,
      .forget = forget,
      .forked = forked,
      .end = end,
  };
  lisp_names_open();
  lisp_frames_open();
  other_heap = &heap;
}
