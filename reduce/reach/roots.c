/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread of the GNU C library on x86-64, by addresses:
 *
 *     stack -> ...          in use, from its last frame on
 *     variables of its own  of code that was loaded when it began (static)
 *     base  -> pthread      the library's; pthread_setspecific's values
 *
 * The main thread has its stack elsewhere.  Variables of code that was loaded
 * later (dynamic) are in objects, which a vector knows (dtv) that `pthread'
 * has the address of.
 */

#include "reach/roots.h"

#include "c/count/malloc_monitor.h"

enum {
  WORD = sizeof(uint64_t),
  RED_ZONE = 128 /* bytes below the stack pointer, in use too */
};

/* Memory; what does not count as a root, or a stack. */
struct part {
  uint64_t start, end;
};

enum { HOLES = 2 };

struct visit {
  const struct roots *roots;
  remote_visit_fn *memory;
  void (*word)(void *closure, uint64_t word);
  void *closure;
  struct part holes[HOLES];
};

static void
visit_memory(const struct visit *v, uint64_t start, uint64_t end)
{
  if (start < end)
    remote_memory_visit(v->roots->memory, start, end, v->memory, v->closure);
}

/* ---- variables --------------------------------------------------------- */

/* What is from START to END without holes, from that of number I on. */
static void
visit_around(const struct visit *v, uint64_t start, uint64_t end, int i)
{
  const struct part *h = &v->holes[i];
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
  const struct modules *modules = v->roots->modules;
  const struct image_search *s = v->roots->search;
  v->holes[0] = (struct part){s->objects, s->objects + s->objects_bytes};
  v->holes[1] = (struct part){modules->bins_start, modules->bins_end};
  for (size_t i = 0; i < modules->count; i++)
    visit_around(v, modules->items[i].start, modules->items[i].end, 0);
  visit_memory(v, s->early, s->early + s->early_bytes);
}

/* What the dynamic linker has allocated it has for good, some of it in memory
 * that it had before there was an allocator, and what threads have of their
 * own while nobody uses their stacks. */
static void
visit_linker(const struct visit *v)
{
  const struct heap_objects *heap = v->roots->heap;
  const struct context_tree *tree = v->roots->tree;
  for (size_t i = 0; i < heap->count; i++) {
    const uint32_t leaf = heap->objects[i].leaf;
    if (leaf != 0 && leaf < tree->leaf_count &&
        tree->leaves[leaf].kind < tree->kind_count &&
        (context_tree_kind(tree, &tree->leaves[leaf])->origin &
         ORIGIN_LINKER) != 0)
      v->word(v->closure, heap->objects[i].address);
  }
}

/* ---- threads ----------------------------------------------------------- */

static uint64_t
pthread_end(const struct visit *v, const struct traced_thread *t)
{
  return t->registers.fs_base + v->roots->search->pthread_bytes;
}

/* The memory of the thread's own stack, as the C library has made it. */
static struct part
own_stack_of(const struct visit *v, const struct traced_thread *t)
{
  const struct remote_memory *memory = v->roots->memory;
  const bool is_main = t->number == v->roots->process;
  const struct mapping *m = remote_memory_find(
      memory, is_main ? memory->stack : t->registers.fs_base);
  return m == NULL
             ? (struct part){0}
             : (struct part){m->start, is_main ? m->end : pthread_end(v, t)};
}

/* The thread is on another stack than its own: that of a handler of signals,
 * or one that the program has made.  Of its own all may be in use. */
static void
visit_other_stack(const struct visit *v, uint64_t stack, struct part own)
{
  const struct roots *r = v->roots;
  const struct mapping *m = remote_memory_find(r->memory, stack);
  const struct heap_object *o = heap_objects_find(r->heap, r->memory, stack);
  visit_memory(v, own.start, own.end);
  if (o != NULL)
    v->word(v->closure, o->address);
  else if (m != NULL)
    visit_memory(v, stack, m->end);
}

/* The vector of what a thread has of dynamic variables: pairs of words, and
 * their number in the pair before the first. */
static void
visit_dynamic(const struct visit *v, const struct traced_thread *t)
{
  struct remote_memory *memory = v->roots->memory;
  const uint64_t vector =
      remote_memory_word(memory, t->registers.fs_base + WORD);
  const uint64_t count = remote_memory_word(memory, vector - 2 * WORD);
  if (count < UINT32_MAX)
    visit_memory(v, vector, vector + 2 * WORD * (count + 1));
}

static void
visit_registers(const struct visit *v, const struct traced_thread *t)
{
  const struct user_regs_struct *r = &t->registers;
  const unsigned long long words[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi,
                                      r->rdi, r->rbp, r->r8,  r->r9,  r->r10,
                                      r->r11, r->r12, r->r13, r->r14, r->r15};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    v->word(v->closure, words[i]);
}

static void
visit_thread(const struct visit *v, const struct traced_thread *t)
{
  const struct part own = own_stack_of(v, t);
  const uint64_t end = pthread_end(v, t);
  const uint64_t stack = t->registers.rsp - RED_ZONE;
  visit_registers(v, t);
  if (stack >= own.start && stack < own.end)
    visit_memory(v, stack, own.end);
  else
    visit_other_stack(v, stack, own);
  visit_memory(v, end - v->roots->search->tls_bytes, end);
  visit_memory(v, t->registers.fs_base, end);
  visit_dynamic(v, t);
}

void
roots_visit(const struct roots *roots, remote_visit_fn *visit,
            void (*word)(void *closure, uint64_t word), void *closure)
{
  struct visit v = {roots, visit, word, closure, {{0}}};
  visit_variables(&v);
  visit_linker(&v);
  for (size_t i = 0; i < roots->threads->count; i++)
    visit_thread(&v, &roots->threads->threads[i]);
}
