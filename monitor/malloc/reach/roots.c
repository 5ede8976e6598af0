/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roots.c -- see roots.h.
 *
 * A thread of the GNU C library on x86-64, by addresses:
 *
 *     stack -> ...          in use, from its last frame on
 *     variables of its own  of code that was loaded when it began (static)
 *     base  -> pthread      the library's; pthread_setspecific's values
 *
 * The main thread has its stack elsewhere.  Variables of code that was loaded
 * later (dynamic) are in objects, which a vector knows (dtv) that `pthread'
 * has the address of.
 */
#include "malloc/reach/roots.h"

#include <dlfcn.h>
#include <unistd.h>

#include "malloc/count/malloc_code.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/count/own_stack.h"
#include "malloc/interpose/objects.h"
#include "malloc/interpose/real_allocator.h"
#include "malloc/reach/bins.h"

enum { PTHREAD_BYTES = 2304 }; /* if the library does not say it */

static struct {
  void (*static_size)(size_t *, size_t *);
  const uint32_t *pthread_bytes;
  void *const *stack_end; /* in the main thread's */
} library;

void
roots_open(void)
{
  library.static_size = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
  library.pthread_bytes = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
  library.stack_end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
}

/* ---- variables ---- */

/* Memory that does not count as a root. */
struct hole {
  uintptr_t start, end;
};

enum { HOLES = 3 };

struct visit {
  const struct roots *roots;
  const struct root_visitor *visitor;
  struct hole holes[HOLES];
};

static void
visit_memory(const struct visit *v, uintptr_t start, uintptr_t end)
{
  if (start < end)
    memory_map_visit(v->roots->map, start, end, v->visitor->memory,
                     v->visitor->closure);
}

/* What is from `start' to `end' without holes, from that of number `i' on. */
static void
visit_around(const struct visit *v, uintptr_t start, uintptr_t end, int i)
{
  const struct hole *const h = &v->holes[i];
  if (i == HOLES) {
    visit_memory(v, start, end);
  } else if (h->start >= end || h->end <= start) {
    visit_around(v, start, end, i + 1);
  } else {
    visit_around(v, start, h->start, i + 1);
    visit_around(v, h->end, end, i + 1);
  }
}

static void
visit_variables(struct visit *v)
{
  const struct code_objects *const code = v->roots->code;
  const struct code_object *const allocator =
      code_objects_find(code, (uintptr_t)real.malloc);
  objects_table_place(&v->holes[0].start, &v->holes[0].end);
  own_stack_place(&v->holes[2].start, &v->holes[2].end);
  if (allocator != NULL)
    bins_find(v->roots->map, allocator->data_start, allocator->data_end,
              &v->holes[1].start, &v->holes[1].end);
  for (size_t i = 0; i < code->count; i++)
    visit_around(v, code->objects[i].data_start, code->objects[i].data_end,
                 0);
  visit_memory(v, (uintptr_t)early_memory.base,
               (uintptr_t)early_memory.base + early_memory.reserved_bytes);
}

/* What the dynamic linker has allocated it has for good, some of it in memory
 * that it had before there was an allocator, and what threads have of their
 * own while nobody uses their stacks. */
static void
visit_linker(const struct visit *v)
{
  const struct heap_objects *const heap = v->roots->heap;
  const struct context_tree *const tree = &malloc_monitor.tree;
  for (uint32_t i = 0; i < heap->count; i++)
    if (heap->objects[i].leaf != 0 &&
        (context_tree_kind(tree, &tree->leaves[heap->objects[i].leaf])->clas &
         CLAS_OF_LINKER) != 0)
      v->visitor->word(v->visitor->closure, heap->objects[i].address);
}

/* ---- threads ---- */

static uintptr_t
pthread_end(const struct stopped_thread *t)
{
  return t->base + (library.pthread_bytes != NULL ? *library.pthread_bytes
                                                  : (uintptr_t)PTHREAD_BYTES);
}

/* The memory of the thread's own stack, as the C library has made it. */
static struct hole
own_stack_of(const struct stopped_thread *t, const struct memory_map *map)
{
  const pid_t number = t->number == 0 ? gettid() : t->number;
  const bool is_main = number == getpid() && library.stack_end != NULL;
  const uintptr_t inside = is_main ? (uintptr_t)*library.stack_end : t->base;
  const struct mapping *const m = memory_map_find(map, inside);
  if (m == NULL)
    return (struct hole){0};
  return (struct hole){m->start, is_main ? m->end : pthread_end(t)};
}

/* The thread is on another stack than its own: that of a handler of signals,
 * or one that the program has made.  Of its own all may be in use. */
static void
visit_other_stack(const struct visit *v, const struct stopped_thread *t,
                  struct hole own)
{
  const struct roots *const r = v->roots;
  const struct mapping *const m = memory_map_find(r->map, t->stack);
  const struct heap_object *const o =
      heap_objects_find(r->heap, r->map, t->stack);
  visit_memory(v, own.start, own.end);
  if (o != NULL)
    v->visitor->word(v->visitor->closure, o->address);
  else if (m != NULL)
    visit_memory(v, t->stack, m->end);
}

/* The vector of what a thread has of dynamic variables: pairs of words, and
 * their number in the pair before the first. */
static void
visit_dynamic(const struct visit *v, const struct stopped_thread *t)
{
  const uintptr_t *const vector = ((uintptr_t *const *)t->base)[1];
  if (memory_map_find(v->roots->map, (uintptr_t)(vector - 2)) != NULL)
    visit_memory(v, (uintptr_t)vector,
                 (uintptr_t)(vector + 2 * (vector[-2] + 1)));
}

static void
visit_thread(const struct visit *v, const struct stopped_thread *t)
{
  const struct hole own = own_stack_of(t, v->roots->map);
  size_t bytes = 0, alignment;
  for (int i = 0; i < STOPPED_REGISTERS; i++)
    v->visitor->word(v->visitor->closure, t->registers[i]);
  if (t->stack >= own.start && t->stack < own.end)
    visit_memory(v, t->stack, own.end);
  else
    visit_other_stack(v, t, own);
  if (library.static_size != NULL)
    library.static_size(&bytes, &alignment);
  visit_memory(v, pthread_end(t) - bytes, pthread_end(t));
  visit_memory(v, t->base, pthread_end(t));
  visit_dynamic(v, t);
}

void
roots_visit(const struct roots *roots, const struct root_visitor *visitor)
{
  struct visit v = {.roots = roots, .visitor = visitor};
  visit_variables(&v);
  visit_linker(&v);
  visit_thread(&v, roots->here);
  for (uint32_t i = 0; i < roots->others->count; i++)
    visit_thread(&v, &roots->others->threads[i]);
}
