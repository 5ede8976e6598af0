/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roots.c -- what the runtime tells the collector of its roots
 * (stacks_scanner in ECL's alloc_2.d), found by the same ways.
 */
#include "lisp/holders/roots.h"

#include <sys/uio.h>
#include <unistd.h>

#include "lisp/names/lisp_printer.h"
#include "lisp/names/releases.h"
#include "lisp/names/table_entries.h"
#include "lisp/threads/thread_sleep.h"
#include "lisp/threads/threads.h"

/* ---- the roots ---- */

static void
add_root(struct roots *roots, struct root root)
{
  if (root.object == 0)
    root.object = heap_add(roots->heap, 0);
  if (root.object == 0 ||
      arena_record(&roots->roots, roots->count, sizeof root) == NULL) {
    roots->heap->failed = true;
    return;
  }
  heap_object(roots->heap, root.object)->flags |= IMAGE_ROOT_OBJECT;
  *roots_get(roots, roots->count++) = root;
}

/* The words at `object' are a root, of which the collector may know. */
static void
add_object(struct roots *roots, enum root_kind kind, cl_object lisp,
           size_t bytes)
{
  const uint64_t address = (uintptr_t)lisp;
  struct root root = {.kind = kind, .lisp = lisp};
  root.object = heap_find(roots->heap, address);
  if (root.object == 0) {
    root.object = heap_add(roots->heap, address);
    root.begin = lisp;
    root.end = (const char *)lisp + bytes;
  } else if ((heap_object(roots->heap, root.object)->flags &
              IMAGE_ROOT_OBJECT) != 0) {
    return;
  }
  if (root.object != 0)
    add_root(roots, root);
}

static void
add_symbols(struct roots *roots, cl_object table)
{
  const struct table_entries entries = table_entries(table);
  for (cl_index i = 0; i < entries.count; i++) {
    const cl_object symbol = entries.at[i].value;
    if (entries.at[i].key != OBJNULL && lisp_is_of(symbol, t_symbol))
      add_object(roots, ROOT_SYMBOL, symbol, sizeof symbol->symbol);
  }
}

/* ECL has all classes that have a name in a table, by their names. */
static void
add_classes(struct roots *roots)
{
  const uint32_t symbols = roots->count;
  for (uint32_t i = 0; i < symbols; i++) {
    const cl_object symbol = roots_get(roots, i)->lisp;
    if (roots_get(roots, i)->kind != ROOT_SYMBOL ||
        !lisp_is_named(symbol, "*CLASS-NAME-HASH-TABLE*"))
      continue;
    const struct table_entries entries = table_entries(symbol->symbol.value);
    for (cl_index k = 0; k < entries.count; k++) {
      const cl_object class = entries.at[k].value;
      if (entries.at[k].key != OBJNULL && class != OBJNULL &&
          !ECL_IMMEDIATE(class) && class->d.t == t_instance)
        add_object(roots, ROOT_CLASS, class, sizeof class->instance);
    }
  }
}

static void
add_packages(struct roots *roots)
{
  for (cl_object l = cl_core.packages; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    const cl_object package = ECL_CONS_CAR(l);
    add_object(roots, ROOT_PACKAGE, package, sizeof package->pack);
    add_symbols(roots, package->pack.internal);
    add_symbols(roots, package->pack.external);
  }
  for (cl_object l = cl_core.libraries; ECL_CONSP(l); l = ECL_CONS_CDR(l))
    add_object(roots, ROOT_CODE, ECL_CONS_CAR(l),
               sizeof ECL_CONS_CAR(l)->cblock);
}

/* The symbols come before.  In some releases the array of all bindings is one
 * of the collector's objects, to which the thread's process refers. */
static void
add_bindings(struct roots *roots, uint32_t symbols, cl_object process)
{
  cl_index size;
  const cl_object *const bindings =
      release_bindings(process->process.env, &size);
  const uint32_t array = heap_find(roots->heap, (uintptr_t)bindings);
  if (array != 0 &&
      (heap_object(roots->heap, array)->flags & IMAGE_ROOT_OBJECT) == 0)
    add_root(
        roots,
        (struct root){.kind = ROOT_STACK, .object = array, .lisp = process});
  for (uint32_t i = 0; i < symbols; i++) {
    const cl_object symbol = roots_get(roots, i)->lisp;
    const bool bound = roots_get(roots, i)->kind == ROOT_SYMBOL &&
                       symbol->symbol.binding != 0 &&
                       symbol->symbol.binding < size &&
                       bindings[symbol->symbol.binding] != ECL_NO_TL_BINDING;
    if (bound)
      add_root(roots,
               (struct root){.kind = ROOT_BINDING,
                             .lisp = symbol,
                             .process = process,
                             .begin = &bindings[symbol->symbol.binding],
                             .end = &bindings[symbol->symbol.binding] + 1});
  }
}

/* ---- threads ---- */

static void
add_stack(struct roots *roots, cl_object process, const void *begin,
          const void *end)
{
  if (begin != NULL && begin < end)
    add_root(roots, (struct root){.kind = ROOT_STACK,
                                  .lisp = process,
                                  .begin = (const void *)((uintptr_t)begin &
                                                          ~(uintptr_t)7),
                                  .end = end});
}

static void
add_thread(struct roots *roots, cl_object process)
{
  const cl_env_ptr env = process->process.env;
  const struct release_stacks stacks = release_stacks(env);
  const uintptr_t top = (uintptr_t)stacks.c_begin;
  uintptr_t low = 0;
  struct system_call call;
  if (env == ecl_process_env_unsafe())
    low = (uintptr_t)__builtin_frame_address(0);
  else if (system_call_of(process->process.thread, &call) &&
           call.stack_pointer < top &&
           call.stack_pointer > top - stacks.c_bytes)
    low = call.stack_pointer;
  add_stack(roots, process, env, env + 1);
  add_stack(roots, process, stacks.arguments, stacks.arguments_end);
  add_stack(roots, process, stacks.bindings, stacks.bindings_end);
  add_stack(roots, process, stacks.frames, stacks.frames_end);
  if (low != 0)
    add_stack(roots, process, (const void *)low, (const void *)top);
}

static cl_object
process_at(cl_index i)
{
  const cl_object process = cl_core.processes->vector.self.t[i];
  return process == OBJNULL || Null(process) || process->process.env == NULL
             ? OBJNULL
             : process;
}

static void
add_threads(struct roots *roots, uint32_t symbols)
{
  /* behind the fill pointer are threads once more that are before it */
  const cl_index n =
      cl_core.processes == OBJNULL ? 0 : cl_core.processes->vector.fillp;
  for (cl_index i = 0; i < n; i++)
    if (process_at(i) != OBJNULL) {
      add_bindings(roots, symbols, process_at(i));
      add_thread(roots, process_at(i));
    }
}

/* The variables of the program and of libraries. */
static void
add_data(struct roots *roots)
{
  for (size_t i = 0; i < monitor.code.count; i++) {
    const struct code_object *const o = &monitor.code.objects[i];
    const uintptr_t begin = (o->data_start + 7) & ~(uintptr_t)7;
    if (o->data_end != 0)
      add_root(roots,
               (struct root){.kind = ROOT_DATA,
                             .file = o->path,
                             .begin = (const void *)begin,
                             .end = (const void *)(o->data_end &
                                                   ~(uintptr_t)7)});
  }
}

void
roots_take(struct roots *roots, struct heap *heap)
{
  roots->heap = heap;
  add_packages(roots);
  add_classes(roots);
  add_data(roots);
  add_threads(roots, roots->count);
  add_root(roots, (struct root){.kind = ROOT_OTHER});
}

/* ---- what they refer to ---- */

/* Memory that is not there any more has no words: code may be unloaded, and
 * a thread end, until the world is stopped. */
static void
read_words(struct heap *heap, const char *begin, const char *end)
{
  uint64_t words[4096];
  while (begin < end && !heap->failed) {
    const size_t bytes = (size_t)(end - begin) < sizeof words
                             ? (size_t)(end - begin)
                             : sizeof words;
    const struct iovec to = {words, bytes}, from = {(void *)begin, bytes};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    for (ssize_t i = 0; i < got / (ssize_t)sizeof *words; i++)
      heap_refer(heap, words[i]);
    begin += bytes;
  }
}

/* In the order of their numbers; roots that are the collector's objects have
 * theirs. */
void
roots_read(struct roots *roots)
{
  struct heap *const heap = roots->heap;
  for (uint32_t i = 0; i < roots->count; i++) {
    const struct root *const root = roots_get(roots, i);
    if (root->object <= heap->collected)
      continue;
    heap_begin_references(heap, root->object);
    if (root->begin != NULL)
      read_words(heap, root->begin, root->end);
  }
  heap_begin_references(heap, heap_count(heap) + 1);
}

enum root_level
root_level(const struct root *root)
{
  switch (root->kind) {
  case ROOT_DATA:
    return LEVEL_DATA;
  case ROOT_STACK:
    return LEVEL_STACK;
  case ROOT_OTHER:
    return LEVEL_OTHER;
  default:
    return LEVEL_NAMED;
  }
}

void
roots_release(struct roots *roots)
{
  arena_release(&roots->roots);
  *roots = (struct roots){0};
}
