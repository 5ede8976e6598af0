/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roots.c -- what holds objects and is held by nothing, and its names: what
 * the runtime tells the collector of its roots (stacks_scanner in ECL's
 * alloc_2.d), found by the same ways.
 *
 * A symbol holds its value, its function and its property list; a package its
 * tables; a class what is allocated in it and its methods; a file of code its
 * constants.  A binding holds the value that a symbol has in one thread.
 * These have the names that programmers know, so they come first: what can be
 * reached from them is theirs alone, whatever else refers to it.  The
 * writable data of shared objects, that of the runtime among them, holds what
 * is left then, and stacks hold what is left after that.  So a variable that
 * happens to be in use on some stack is still named.
 *
 * A stack is read from the stack pointer on, which the kernel tells of a
 * thread that is stopped. */
#include "lisp/holders/live_graph.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lisp/names/releases.h"
#include "lisp/threads/stop.h"
#include "lisp/threads/threads.h"

enum root_kind {
  ROOT_SYMBOL,
  ROOT_BINDING, /* of a symbol in a thread */
  ROOT_PACKAGE,
  ROOT_CLASS,
  ROOT_CODE,  /* a file of compiled code */
  ROOT_DATA,  /* the writable data of a shared object */
  ROOT_STACK, /* of a thread, and what else it has of its own */
  ROOT_OTHER  /* what no other reaches: the collector knows of more roots */
};

struct root {
  enum root_kind kind;
  uint32_t object;         /* number of its object */
  cl_object name;          /* its name, or the symbol or class that has the
                              name; OBJNULL: none */
  cl_object process;       /* thread of a binding or a stack; else OBJNULL */
  const char *file;        /* path of the shared object with the data; else
                              NULL; not owned */
  const void *begin, *end; /* its words; NULL: none, or it is one of the
                              collector's objects */
};

/* Returns the root `i', counted from 0. */
static struct root *
graph_root(const struct live_graph *graph, uint32_t i)
{
  return (struct root *)graph->roots.base + i;
}

/* ---- names ---- */

#define LISP_TYPE(type)                                                      \
  (type | (CATEGORY_OTHER + UINT64_C(1)) << NOTE_CATEGORY_SHIFT)

/* Of each kind of roots the level, for roots take what they hold level by
 * level; what is before the name, what that is the name of, and the value of
 * the note. */
static const struct {
  uint32_t level;
  const char *before;
  enum lisp_named what;
  uint64_t value;
} kinds[] = {
    [ROOT_SYMBOL] = {0, "", NAMED_FUNCTION, LISP_TYPE(t_symbol)},
    [ROOT_BINDING] = {0, "", NAMED_FUNCTION},
    [ROOT_PACKAGE] = {0, "package ", NAMED_THREAD, LISP_TYPE(t_package)},
    [ROOT_CLASS] = {0, "class ", NAMED_CLASS, LISP_TYPE(t_instance)},
    [ROOT_CODE] = {0, "constants of ", NAMED_THREAD, LISP_TYPE(t_codeblock)},
    [ROOT_DATA] = {1, "data of "},
    [ROOT_STACK] = {2, "stack of "},
    [ROOT_OTHER] = {3, "[other roots]"},
};

static void
put_thread(struct lisp_printer *out, cl_object process)
{
  const struct thread_state *const t = threads_find(process->process.env);
  if (t != NULL)
    lisp_printer_text(out, t->name);
  else
    lisp_printer_name(out, process->process.name, NAMED_THREAD);
}

static void
note_root(struct live_graph *g, const struct root *root)
{
  struct lisp_printer *const out = &g->name;
  lisp_printer_text(out, kinds[root->kind].before);
  if (root->name != OBJNULL)
    lisp_printer_name(out, root->name, kinds[root->kind].what);
  else if (root->kind == ROOT_CODE)
    lisp_printer_text(out, "code");
  else if (root->file != NULL)
    lisp_printer_text(out, basename(root->file));
  if (root->kind == ROOT_BINDING)
    lisp_printer_text(out, " in ");
  if (root->process != OBJNULL)
    put_thread(out, root->process);
  graph_note(g, g->root_count, kinds[root->kind].value);
}

/* ---- the roots ---- */

static void
add_root(struct live_graph *g, struct root root)
{
  struct image_root *record = NULL;
  if (root.object == 0)
    root.object = graph_add(g, 0);
  if (root.object != 0 &&
      arena_record(&g->roots, g->root_count, sizeof root) != NULL)
    record = graph_add_record(g, IMAGE_ROOTS);
  if (record == NULL) {
    g->failed = true;
    return;
  }
  graph_object(g, root.object)->flags |= IMAGE_ROOT_OBJECT;
  graph_object(g, root.object)->leaf = g->root_count;
  *graph_root(g, g->root_count++) = root;
  *record =
      (struct image_root){root.object, kinds[root.kind].level, g->root_count};
  note_root(g, &root);
}

/* Adds the words of `lisp' as a root, of which the collector may know. */
static void
add_object(struct live_graph *g, enum root_kind kind, cl_object lisp,
           cl_object name, size_t bytes)
{
  const uint64_t address = (uintptr_t)lisp;
  struct root root = {.kind = kind, .name = name};
  root.object = graph_find(g, address);
  if (root.object == 0) {
    root.object = graph_add(g, address);
    root.begin = lisp;
    root.end = (const char *)lisp + bytes;
  } else if ((graph_object(g, root.object)->flags & IMAGE_ROOT_OBJECT) != 0) {
    return;
  }
  if (root.object != 0)
    add_root(g, root);
}

/* Adds the values in a hash table that are of TYPE, with BYTES each. */
static void
add_values(struct live_graph *g, enum root_kind kind, cl_object table,
           cl_type type, size_t bytes)
{
  const struct table_entries entries = table_entries(table);
  for (cl_index i = 0; i < entries.count; i++) {
    const cl_object value = entries.at[i].value;
    if (entries.at[i].key != OBJNULL && lisp_is_of(value, type))
      add_object(g, kind, value, value, bytes);
  }
}

/* Adds all classes that have a name: ECL has them in a table. */
static void
add_classes(struct live_graph *g)
{
  const uint32_t symbols = g->root_count;
  for (uint32_t i = 0; i < symbols; i++) {
    const cl_object symbol = graph_root(g, i)->name;
    if (graph_root(g, i)->kind == ROOT_SYMBOL &&
        lisp_is_named(symbol, "*CLASS-NAME-HASH-TABLE*"))
      add_values(g, ROOT_CLASS, symbol->symbol.value, t_instance,
                 sizeof(struct ecl_instance));
  }
}

static void
add_packages(struct live_graph *g)
{
  for (cl_object l = cl_core.packages; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    const cl_object package = ECL_CONS_CAR(l);
    add_object(g, ROOT_PACKAGE, package, package->pack.name,
               sizeof package->pack);
    add_values(g, ROOT_SYMBOL, package->pack.internal, t_symbol,
               sizeof(struct ecl_symbol));
    add_values(g, ROOT_SYMBOL, package->pack.external, t_symbol,
               sizeof(struct ecl_symbol));
  }
  for (cl_object l = cl_core.libraries; ECL_CONSP(l); l = ECL_CONS_CDR(l)) {
    const cl_object code = ECL_CONS_CAR(l), name = code->cblock.name;
    add_object(g, ROOT_CODE, code, ECL_STRINGP(name) ? name : OBJNULL,
               sizeof code->cblock);
  }
}

/* Adds the bindings of symbols, which come before.  In some releases the
 * array of all bindings is one of the collector's objects, to which the
 * thread's process refers. */
static void
add_bindings(struct live_graph *g, uint32_t symbols, cl_object process)
{
  cl_index size;
  const cl_object *const bindings =
      release_bindings(process->process.env, &size);
  const uint32_t array = graph_find(g, (uintptr_t)bindings);
  if (array != 0 && (graph_object(g, array)->flags & IMAGE_ROOT_OBJECT) == 0)
    add_root(g, (struct root){
                    .kind = ROOT_STACK, .object = array, .process = process});
  for (uint32_t i = 0; bindings != NULL && i < symbols; i++) {
    const cl_object symbol = graph_root(g, i)->name;
    const bool bound = graph_root(g, i)->kind == ROOT_SYMBOL &&
                       symbol->symbol.binding != 0 &&
                       symbol->symbol.binding < size &&
                       bindings[symbol->symbol.binding] != ECL_NO_TL_BINDING;
    if (bound)
      add_root(g,
               (struct root){.kind = ROOT_BINDING,
                             .name = symbol,
                             .process = process,
                             .begin = &bindings[symbol->symbol.binding],
                             .end = &bindings[symbol->symbol.binding] + 1});
  }
}

/* ---- threads ---- */

static void
add_stack(struct live_graph *g, cl_object process, const void *begin,
          const void *end)
{
  if (begin != NULL && begin < end)
    add_root(g, (struct root){
                    .kind = ROOT_STACK,
                    .process = process,
                    .begin = (const void *)((uintptr_t)begin & ~(uintptr_t)7),
                    .end = end});
}

static void
add_thread(struct live_graph *g, cl_object process)
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
  add_stack(g, process, env, env + 1);
  add_stack(g, process, stacks.arguments, stacks.arguments_end);
  add_stack(g, process, stacks.bindings, stacks.bindings_end);
  add_stack(g, process, stacks.frames, stacks.frames_end);
  if (low != 0)
    add_stack(g, process, (const void *)low, (const void *)top);
}

static void
add_threads(struct live_graph *g, uint32_t symbols)
{
  /* behind the fill pointer are threads once more that are before it */
  const cl_index n =
      cl_core.processes == OBJNULL ? 0 : cl_core.processes->vector.fillp;
  for (cl_index i = 0; i < n; i++) {
    const cl_object p = cl_core.processes->vector.self.t[i];
    if (p != OBJNULL && !Null(p) && p->process.env != NULL) {
      add_bindings(g, symbols, p);
      add_thread(g, p);
    }
  }
}

/* Adds the variables of the program and of libraries. */
static void
add_data(struct live_graph *g)
{
  for (size_t i = 0; i < code_objects.loaded.count; i++) {
    const struct code_object *const o = &code_objects.loaded.objects[i];
    const uintptr_t begin = (o->data_start + 7) & ~(uintptr_t)7;
    if (o->data_end != 0)
      add_root(g, (struct root){
                      .kind = ROOT_DATA,
                      .file = o->path,
                      .begin = (const void *)begin,
                      .end = (const void *)(o->data_end & ~(uintptr_t)7)});
  }
}

void
roots_take(struct live_graph *g)
{
  add_packages(g);
  add_classes(g);
  add_data(g);
  add_threads(g, g->root_count);
  add_root(g, (struct root){.kind = ROOT_OTHER});
}

/* ---- what they refer to ---- */

/* Adds what the words refer to.  Memory that is not there any more has none:
 * code may be unloaded, and a thread end, until the world is stopped. */
static void
read_words(struct live_graph *g, const char *begin, const char *end)
{
  uint64_t words[4096];
  while (begin < end && !g->failed) {
    const size_t bytes = (size_t)(end - begin) < sizeof words
                             ? (size_t)(end - begin)
                             : sizeof words;
    const struct iovec to = {words, bytes}, from = {(void *)begin, bytes};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    for (ssize_t i = 0; i < got / (ssize_t)sizeof *words; i++)
      graph_refer(g, words[i]);
    begin += bytes;
  }
}

void
roots_read(struct live_graph *g)
{
  for (uint32_t i = 0; i < g->root_count; i++) {
    const struct root *const root = graph_root(g, i);
    if (root->object <= g->collected)
      continue;
    graph_begin_references(g, root->object);
    if (root->begin != NULL)
      read_words(g, root->begin, root->end);
  }
  graph_begin_references(g, g->addresses.count + 1);
}
