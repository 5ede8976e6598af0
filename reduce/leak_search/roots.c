/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Variables.  The linker knows where the dynamic section of each module is;
 * the file that is mapped there begins with its headers, which say where the
 * variables are.
 *
 * The C library's lists of free memory are variables, too.  They refer to
 * blocks, none of which begins in an object (interpose.c).
 *
 * Threads.  One of the GNU C library, by addresses, on x86-64 and on AArch64:
 *
 *     stack -> ...          in use, from its last frame on
 *     variables of its own  of code that was loaded when it began (static)
 *     base  -> pthread      the library's; pthread_setspecific's values
 *
 *     stack -> ...
 *              pthread
 *     base  -> variables of its own
 *
 * The base is the thread pointer.  The main thread has its stack elsewhere.
 * Variables of code that was loaded later (dynamic) are in objects, which a
 * vector knows (dtv) that `pthread' has the address of.
 */

#include "leak_search/stopped_program.h"

#include "base/pool.h"
#include "c/count/monitor.h"

#include <link.h>

enum {
  WORD = sizeof(uint64_t),
  MOST_HEADERS = 64
};

struct part {
  uint64_t start, end; /* none if that is 0 */
};

static bool
part_has(struct part part, uint64_t address)
{
  return address >= part.start && address < part.end;
}

static void
visit_memory(struct stopped_program *p, uint64_t start, uint64_t end)
{
  memory_visit(p, start, end, objects_mark);
}

static void
visit_word(struct stopped_program *p, uint64_t word)
{
  objects_mark(p, 0, (const char *)&word, sizeof word);
}

/* Leaves out what is in HOLE. */
static void
visit_around(struct stopped_program *p, struct part part, struct part hole)
{
  visit_memory(p, part.start, hole.start < part.end ? hole.start : part.end);
  visit_memory(p, hole.end > part.start ? hole.end : part.start, part.end);
}

/* ---- variables --------------------------------------------------------- */

static void
widen(struct part *part, uint64_t address, uint64_t bytes)
{
  if (part->end == 0 || address < part->start)
    part->start = address;
  if (address + bytes > part->end)
    part->end = address + bytes;
}

/* Sets VARIABLES to where what the module MAP can write to is in memory.
 * Returns false if what is in memory there is not that module. */
static bool
read_module(const struct remote_memory *memory, const struct link_map *map,
            struct part *variables)
{
  const uint64_t dynamic = (uintptr_t)map->l_ld;
  const uint64_t file = remote_memory_file(memory, dynamic);
  ElfW(Ehdr) head;
  ElfW(Phdr) parts[MOST_HEADERS];
  bool is_there = false;
  *variables = (struct part){0};
  if (!remote_memory_copy(memory, file, &head, sizeof head) ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_phnum > MOST_HEADERS ||
      !remote_memory_copy(memory, file + head.e_phoff, parts,
                          head.e_phnum * sizeof *parts))
    return false;
  for (int i = 0; i < head.e_phnum; i++) {
    const uint64_t address = map->l_addr + parts[i].p_vaddr;
    if (parts[i].p_type == PT_LOAD && (parts[i].p_flags & PF_W) != 0)
      widen(variables, address, parts[i].p_memsz);
    is_there =
        is_there || (parts[i].p_type == PT_DYNAMIC && address == dynamic);
  }
  return is_there;
}

/* Visits those of the program and its libraries. */
static void
visit_variables(struct stopped_program *p)
{
  const struct image_search *s = p->search;
  const struct part table = {s->objects, s->objects + s->objects_bytes};
  struct r_debug linker = {0};
  struct link_map map = {0};
  struct part variables;
  bool good =
      remote_memory_copy(&p->memory, s->modules, &linker, sizeof linker);
  bool any = false;
  for (const void *at = linker.r_map; good && at != NULL; at = map.l_next) {
    good = remote_memory_copy(&p->memory, (uintptr_t)at, &map, sizeof map);
    if (!good || !read_module(&p->memory, &map, &variables))
      continue;
    any = true;
    visit_around(p, variables, table);
  }
  if (!good || !any)
    fail_with(MPROF_CANNOT_READ, "its libraries cannot be found");
}

/* Visits what the dynamic linker has allocated, which it has for good: some
 * of it in memory that it had before there was an allocator, and what threads
 * have of their own while nobody uses their stacks. */
static void
visit_linker(struct stopped_program *p)
{
  const struct context_tree *tree = p->counters.tree;
  for (size_t i = 0; i < p->heap.count; i++) {
    const uint32_t leaf = p->heap.objects[i].leaf;
    if (leaf != 0 && leaf < tree->leaf_count &&
        tree->leaves[leaf].kind < tree->kind_count &&
        (context_tree_kind(tree, &tree->leaves[leaf])->origin &
         ORIGIN_LINKER) != 0)
      visit_word(p, p->heap.objects[i].address);
  }
}

/* ---- threads ----------------------------------------------------------- */

/* Returns the record of the C library, and the variables beside it. */
static struct part
record_of(struct stopped_program *p, const struct traced_thread *t)
{
  const uint64_t base = t->thread_pointer, bytes = p->search->pthread_bytes,
                 variables = p->search->tls_bytes;
  return ARCH_THREAD_IS_BELOW
             ? (struct part){base - bytes, base + variables}
             : (struct part){variables < bytes ? base
                                               : base + bytes - variables,
                             base + bytes};
}

/* Returns the memory of the thread's own stack, which the C library made. */
static struct part
own_stack_of(struct stopped_program *p, const struct traced_thread *t)
{
  const bool is_main = t->number == p->process;
  const struct mapping *m = remote_memory_find(
      &p->memory, is_main ? p->memory.stack : t->thread_pointer);
  return m == NULL ? (struct part){0}
                   : (struct part){m->start,
                                   is_main ? m->end : record_of(p, t).end};
}

/* Visits the stacks of a thread that is on another than its own: that of a
 * handler of signals, or the program's.  Of its own all may be in use. */
static void
visit_other_stack(struct stopped_program *p, uint64_t stack, struct part own)
{
  const struct mapping *m = remote_memory_find(&p->memory, stack);
  const struct heap_object *o = heap_objects_find(&p->heap, stack);
  visit_memory(p, own.start, own.end);
  if (o != NULL)
    visit_word(p, o->address);
  else if (m != NULL)
    visit_memory(p, stack, m->end);
}

/* Visits the vector of what a thread has of dynamic variables: pairs of
 * words, and their number in the pair before the first. */
static void
visit_dynamic(struct stopped_program *p, const struct traced_thread *t)
{
  const uint64_t vector = remote_memory_word(
      &p->memory, t->thread_pointer + ARCH_THREAD_VECTOR * WORD);
  const uint64_t count = remote_memory_word(&p->memory, vector - 2 * WORD);
  if (count < UINT32_MAX)
    visit_memory(p, vector, vector + 2 * WORD * (count + 1));
}

/* Visits what a thread has.  One of the kernel's own, such as io_uring's,
 * runs no code of the process, and is nowhere in it. */
static void
visit_thread(struct stopped_program *p, const struct traced_thread *t)
{
  if (arch_traced_ip(&t->registers) == 0)
    return;
  const struct part own = own_stack_of(p, t), record = record_of(p, t);
  const uint64_t stack = arch_traced_stack(&t->registers) - ARCH_RED_ZONE;
  objects_mark(p, 0, (const char *)&t->registers, sizeof t->registers);
  if (part_has(own, stack))
    visit_memory(p, stack, own.end);
  else
    visit_other_stack(p, stack, own);
  visit_memory(p, record.start, record.end);
  visit_dynamic(p, t);
}

void
roots_mark(struct stopped_program *p)
{
  visit_variables(p);
  visit_linker(p);
  for (size_t i = 0; i < p->threads.count; i++)
    visit_thread(p, &p->threads.threads[i]);
}
