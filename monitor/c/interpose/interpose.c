/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interpose.c -- the functions that a program allocates with, in front of the
 * real ones.
 *
 * Each does what the real one does, and then tells the monitor; what is freed
 * is told before.  A realloc is an end and an allocation, as the original
 * mprof had it, and as valgrind counts.  Requests that fail count for
 * nothing.
 *
 * Those of C++ are in interpose_cxx.c. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "c/count/hook.h"
#include "c/interpose/interposed.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"

/* ---- the hook ----
 *
 * The way that nearly all allocations and frees take: the chain of calls is
 * one that is known, and so is the leaf of this size; nobody has the stripe
 * locked, and there is room in it.  It is written into the functions below.
 * What is different is left to a function that begins anew and is called
 * last, so that nothing has to be saved for it.  An allocation in main and
 * its free are 138 instructions without mprof, and 460 with it; one more
 * function between those here and the interposed ones adds 60. */

/* Counts the object and writes its mark; returns false and changes nothing
 * where it is another case.  `frame' is the frame of the interposed function.
 */
HOOK_INLINE bool
hook_allocated(void *object, uint64_t *mark, size_t bytes,
               const uintptr_t *frame)
{
  struct thread *const thread = this_thread.record;
  if (!monitor_is_counting() || thread == NULL)
    return false;
  struct known_path *path = call_chain_find(
      &thread->chain, frame[1], arch_frame_stack(frame), frame[0]);
  uint32_t leaf = path == NULL ? 0
                               : known_leaf(thread, path, leaf_size(bytes),
                                            thread->regions.region);
  struct stripe *s = thread->user.stripe;
  if (leaf == 0 || !spin_try_lock(&s->lock))
    return false;
  if (__builtin_expect(thread->generation != stripes.generation ||
                           !stripe_has_room(s, bytes),
                       0)) {
    spin_unlock(&s->lock);
    return false;
  }
  struct counted counted = count_allocation(&thread->user, s, leaf,
                                            (uintptr_t)object, bytes);
  stripe_grow(s);
  spin_unlock(&s->lock);
  object_set_mark(object, mark, counted, bytes);
  return true;
}

/* Counts the end of the object if it has a mark at that place, clears that,
 * and enters the monitor.  Returns false and changes nothing where it is
 * another case.  The sanitizer does not look (object_mark_find). */
static inline UNSANITIZED bool
hook_freed(void *object, uint64_t *mark)
{
  struct thread *const thread = this_thread.record;
  const uint64_t was = *mark;
  if (thread == NULL || this_thread.inside != 0 || !monitor.own.known)
    return false;
  struct stripe *s = thread->user.stripe;
  this_thread.inside++; /* a handler of a signal waits for no lock */
  if (spin_try_lock(&s->lock)) {
    if (__builtin_expect(
            object_mark_epoch(was, (uintptr_t)object) == stripes.epoch &&
                object_mark_fits(was, (uintptr_t)mark, (uintptr_t)object) &&
                s->open,
            1)) {
      *mark = 0;
      count_end(&thread->user, s, (uintptr_t)object,
                object_mark_leaf(was, (uintptr_t)object),
                object_mark_size(was));
      spin_unlock(&s->lock);
      return true;
    }
    spin_unlock(&s->lock);
  }
  this_thread.inside--;
  return false;
}

/* ---- calls ---- */

/* Enters the monitor for a call.  Returns false while this thread looks for
 * the real allocator, and where that is bypassed. */
static inline bool
enter(void)
{
  if (!real_allocator_found())
    return false;
  this_thread.inside++;
  return true;
}

/* Calls the real function alone; NULL before that is found. */
#define WITHOUT(name, arguments)                                             \
  (real.name != NULL ? real.name arguments : NULL)

static void *__attribute__((noinline)) allocate_uncounted(size_t bytes)
{
  return WITHOUT(malloc, (bytes));
}

/* Returns how many bytes to ask of the real allocator, which refuses what is
 * too much.  Large objects have the room, too, so that the block behind them,
 * which begins in the last word of theirs for the GNU C library, does not begin
 * in the object: its lists of free memory refer to none (leak_search/). */
static inline size_t
with_mark(size_t bytes)
{
  return bytes > SIZE_MAX - MARK_BYTES ? bytes : bytes + MARK_BYTES;
}

/* Ends the call: counts the object, and returns it. */
HOOK_INLINE void *
finish(void *object, size_t bytes, const uintptr_t *frame)
{
  uint64_t *const mark = object_mark_place(object, bytes);
  if (__builtin_expect(!is_program_call() || mark == NULL ||
                           !hook_allocated(object, mark, bytes, frame),
                       0))
    return objects_register(object, bytes, frame);
  this_thread.inside--;
  return object;
}

HOOK_INLINE void *
allocate(size_t bytes, const uintptr_t *frame)
{
  if (!enter())
    return allocate_uncounted(bytes);
  return finish(real.malloc(with_mark(bytes)), bytes, frame);
}

EXPORT void *
malloc(size_t bytes)
{
  return allocate(bytes, FRAME);
}

void *
interposed_malloc(size_t bytes, const uintptr_t *frame)
{
  return allocate(bytes, frame);
}

EXPORT void *
calloc(size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  if (!enter())
    return WITHOUT(calloc, (count, size));
  return finish(real.calloc(1, with_mark(bytes)), bytes, FRAME);
}

static void __attribute__((noinline)) free_slow(void *p)
{
  struct object_record taken;
  if (p == NULL)
    return;
  if (!enter()) {
    if (real.free != NULL)
      real.free(p);
    return;
  }
  if (!is_program_call())
    thread_recover(FRAME);
  objects_unregister(p, &taken);
  objects_count_free(&taken);
  real.free(p);
  this_thread.inside--;
}

/* Looks for no real allocator where the object has a mark: it was given out
 * here. */
EXPORT void
free(void *p)
{
  uint64_t *const mark = object_mark_at(p);
  if (__builtin_expect(mark == NULL || !hook_freed(p, mark), 0)) {
    free_slow(p);
    return;
  }
  real.free(p);
  this_thread.inside--;
}

/* Asks for no mark with a size of 0: some allocators free the object then,
 * and return NULL or something else. */
void *
interposed_realloc(void *p, size_t bytes, const uintptr_t *frame)
{
  struct object_record taken;
  if (p == NULL)
    return interposed_malloc(bytes, frame);
  if (!enter())
    return WITHOUT(realloc, (p, bytes));
  if (!is_program_call())
    thread_recover(frame);
  objects_unregister(p, &taken);
  void *const q = real.realloc(p, bytes == 0 ? 0 : with_mark(bytes));
  if (q == NULL && bytes != 0) {
    objects_restore(&taken);
    this_thread.inside--;
    return NULL;
  }
  objects_count_free(&taken);
  return finish(q, bytes, frame);
}

EXPORT void *
realloc(void *p, size_t bytes)
{
  return interposed_realloc(p, bytes, FRAME);
}

EXPORT void *
reallocarray(void *p, size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return interposed_realloc(p, bytes, FRAME);
}

/* ---- objects with an alignment of their own ---- */

/* Returns how many bytes to ask for.  Other allocators than the GNU C library's
 * may refuse what is no multiple of the alignment. */
static inline size_t
aligned_with_mark(size_t bytes)
{
  return real.has_chunks ? with_mark(bytes) : bytes;
}

int
interposed_memalign(void **result, size_t alignment, size_t bytes,
                    const uintptr_t *frame)
{
  void *p;
  if (!enter())
    return real.posix_memalign != NULL
               ? real.posix_memalign(result, alignment, bytes)
               : ENOMEM;
  int status = real.posix_memalign(&p, alignment, aligned_with_mark(bytes));
  p = objects_register(status == 0 ? p : NULL, bytes, frame);
  if (status == 0)
    *result = p;
  return status;
}

EXPORT int
posix_memalign(void **result, size_t alignment, size_t bytes)
{
  return interposed_memalign(result, alignment, bytes, FRAME);
}

/* The last argument is what stands before the size in a call. */
#define ALIGNED(name, parameters, ...)                                       \
  EXPORT void *name parameters;                                              \
  EXPORT void *name parameters                                               \
  {                                                                          \
    if (!enter())                                                            \
      return WITHOUT(name, (__VA_ARGS__ bytes));                             \
    return objects_register(                                                 \
        real.name(__VA_ARGS__ aligned_with_mark(bytes)), bytes, FRAME);      \
  }

ALIGNED(aligned_alloc, (size_t boundary, size_t bytes), boundary, )
ALIGNED(memalign, (size_t boundary, size_t bytes), boundary, )
ALIGNED(valloc, (size_t bytes), )
ALIGNED(pvalloc, (size_t bytes), )

size_t malloc_usable_size(void *p);

EXPORT size_t
malloc_usable_size(void *p)
{
  if (p == NULL)
    return 0;
  if (!real_allocator_found())
    return real.malloc_usable_size != NULL ? real.malloc_usable_size(p) : 0;
  const uint64_t *const mark = object_mark_find(p);
  return mark != NULL ? (uintptr_t)mark - (uintptr_t)p
                      : real.malloc_usable_size(p);
}

/* ---- monitors in front of one another ---- */

void *
mprof_bypass(const char *name)
{
  void *function;
  if (!real.bypassed)
    real_allocator_bypass(interposed_functions);
  real_function(&function, name);
  return function;
}

/* Finds the allocator for the first monitor, whichever calls it. */
void
mprof_find_allocator(void)
{
  real_allocator_found();
}

/* ---- all of them ---- */

#define FUNCTIONS(each)                                                      \
  each(malloc) each(calloc) each(realloc) each(free) each(memalign)          \
      each(posix_memalign) each(valloc) each(aligned_alloc) each(pvalloc)    \
          each(malloc_usable_size)
#define OWN_OF(name) OWN(name);
#define ROW_OF(name) {#name, &real.name, own_##name},

FUNCTIONS(OWN_OF)

const struct interposed_function interposed_functions[INTERPOSED_FUNCTIONS] = {
    FUNCTIONS(ROW_OF){.real = NULL}};
