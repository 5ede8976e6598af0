/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_module.c -- learn where the functions of one shared object begin.
 *
 * Model.  The entries are made once, when the object is first seen, from its
 * symbol table (C names), then from its call-frame information (beginnings
 * and ends that have no symbol, and which code keeps a frame pointer), then
 * from what the runtime knows of its Lisp functions (code_names).  In the end
 * all that is left without a function gets one named after the object.
 *
 * Not done here: reading ELF and call-frame information (module_symbols,
 * frame_info).
 */
#include "code/code_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <gc/gc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/arch.h"
#include "names/clos_dispatch.h"
#include "code/code_names.h"
#include "names/function_table.h"
#include "tree/sizes.h"

/* Is the program of this process ECL's own, that is bin/ecl beside the folder
 * that libecl is in?  Any other was written or built by the user. */
static bool
is_ecl_program(void)
{
  Dl_info info;
  struct stat program, ecl;
  char path[PATH_MAX];
  const char *slash;
  if (dladdr((void *)(uintptr_t)ecl_alloc_object, &info) == 0 ||
      (slash = strrchr(info.dli_fname, '/')) == NULL ||
      snprintf(path, sizeof path, "%.*s/../bin/ecl",
               (int)(slash - info.dli_fname),
               info.dli_fname) >= (int)sizeof path)
    return false;
  return stat("/proc/self/exe", &program) == 0 && stat(path, &ecl) == 0 &&
         program.st_dev == ecl.st_dev && program.st_ino == ecl.st_ino;
}

/* What ECL itself is made of; a C function in any other shared object is the
 * user's and is shown. */
static bool
is_runtime_module(const char *basename, const char *path)
{
  static const char *const names[] = {
    "libecl.so", "libgc.so",      "libgmp.so",      "libffi.so",
    "libc.so",   "libm.so",       "libpthread.so",  "libdl.so",
    "ld-linux",  "linux-vdso",    "libmprof-",      "libunwind",
    "libz.so",   "libelf.so",     "libprotobuf-c.", "libgcc_s.so",
    "libatomic", "liblzma",
  };
  if (path[0] == '\0')
    return true;
  if (strcmp(path, MODULE_PROGRAM) == 0)
    return is_ecl_program();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(basename, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* GCC makes foo.constprop.0, foo.isra.0, foo.part.0 and foo.cold of foo; to
 * people it is foo. */
static bool
add_symbol(void *closure, uintptr_t address, size_t size, const char *name)
{
  struct code_module *m = closure;
  size_t length = strcspn(name, ".");
  char *c_name = strndup(name, length != 0 ? length : strlen(name));
  uint32_t f;
  if (c_name == NULL)
    return false;
  f = function_table_intern(c_name, c_name, NULL, -1, m->runtime);
  free(c_name);
  if (f == 0 || !code_entries_add(m, address, f))
    return false;
  return size == 0 || code_entries_add(m, address + size, 0);
}

/* Drop doubles, and gaps that are no gaps: an end that lies on a beginning or
 * inside a function with another name for its first part. */
static void
tidy_entries(struct code_module *m)
{
  size_t kept = 0;
  qsort(m->entries, m->count, sizeof *m->entries, code_entries_compare);
  for (size_t i = 0; i < m->count; i++)
    if (kept == 0 || m->entries[i].start != m->entries[kept - 1].start)
      m->entries[kept++] = m->entries[i];
  m->count = kept;
}

/* Compiled Lisp code may lie in one object with C code that was compiled in
 * another way, or may have been compiled with flags of the user's: what keeps
 * a frame pointer is asked function by function.  Call-frame information also
 * says where functions begin and end when symbols were stripped, so that code
 * without a name is not taken for the function before it. */
struct frame_list {
  struct code_module *module;
  struct frame_function *items;
  size_t count, room;
};

static bool
add_frame(void *closure, const struct frame_function *f)
{
  struct frame_list *list = closure;
  struct code_module *m = list->module;
  if (f->start < m->start || f->start >= m->end)
    return true;
  if (list->count == list->room) {
    size_t room = list->room == 0 ? SIZE_FIRST_ROOM : list->room * 2;
    struct frame_function *bigger =
        realloc(list->items, room * sizeof *bigger);
    if (bigger == NULL)
      return false;
    list->items = bigger;
    list->room = room;
  }
  list->items[list->count++] = *f;
  return code_entries_add(m, f->start, 0) &&
         code_entries_add(m, f->start + f->size, 0);
}

/* Set the kind of all entries that lie in functions of the list. */
static void
set_kinds(struct code_module *m, const struct frame_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct frame_function *f = &list->items[i];
    struct code_entry *e = code_entries_at(m, f->start);
    const struct code_entry *end = m->entries + m->count;
    for (; e != NULL && e < end && e->start < f->start + f->size; e++)
      e->kind = f->frame_pointer ? CALL_FRAME : CALL_FOREIGN;
  }
}

/* Where the collector calls finalizers, in the middle of any allocation. */
static void
find_finalizers(struct code_module *m)
{
  struct code_entry *e = code_entries_at(m, (uintptr_t)GC_invoke_finalizers);
  if (e != NULL)
    e->kind = CALL_FINALIZERS;
}

/* The interpreter, and the APPLY that is a part of what calls it. */
static void
find_special_code(struct code_module *m)
{
  struct code_entry *e = code_entries_at(m, (uintptr_t)ecl_interpret);
  if (e != NULL)
    e->kind = CALL_INTERPRETER;
  e = code_entries_at(m, (uintptr_t)cl_apply);
  if (e != NULL)
    clos_dispatch_set_apply(e->function);
}

/* The records of frame words, each of which leads to the instruction that sets
 * one to zero.  Of several in a function, which has others inlined, the first
 * is its own. */
static void
add_words(struct code_module *m, struct ecl_frame_words words)
{
  const struct code_entry *first = m->entries;
  for (const int32_t *w = words.begin; w < words.end; w++) {
    const uintptr_t at = (uintptr_t)w + (uintptr_t)(intptr_t)*w;
    const struct code_entry *found =
        code_entries_before(first, m->count, at);
    struct code_entry *e;
    if (at < m->start || at >= m->end)
      return; /* of another module */
    if (found == NULL)
      continue;
    e = &m->entries[found - first];
    if (e->word == 0 || at < e->word) {
      e->word = at;
      e->word_at = (uint16_t)arch_frame_word(at);
      function_table_at(e->function)->calls_known = e->word_at != 0;
    }
  }
}

static void
find_words(struct code_module *m, bool is_ecl)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  if (is_ecl)
    add_words(m, ecl_allocation_monitor.words);
  else if (m->tables != 0)
    for (; t != NULL; t = t->next)
      add_words(m, t->words);
}

void
code_module_free(struct code_module *m)
{
  free(m->entries);
  free(m->path);
  free(m);
}

struct code_module *
code_module_new(const struct module *module)
{
  struct code_module *m = calloc(1, sizeof *m);
  bool is_ecl = (uintptr_t)ecl_alloc_object >= module->start &&
                (uintptr_t)ecl_alloc_object < module->end;
  struct frame_list frames = { .module = m };
  char *unknown = NULL;
  const char *basename = strcmp(module->path, MODULE_PROGRAM) == 0
                             ? program_invocation_short_name
                             : module_basename(module);
  if (m == NULL)
    return NULL;
  m->base = module->base;
  m->start = module->start;
  m->end = module->end;
  m->path = strdup(module->path);
  m->tables = code_names_tables(module);
  m->kind = is_ecl ? CALL_FRAME : CALL_FOREIGN;
  m->runtime = is_ecl || is_runtime_module(basename, module->path);
  module_symbols(module, add_symbol, m);
  if (!is_ecl && m->tables != 0)
    module_frames(module, add_frame, &frames);
  code_entries_add(m, m->start, 0);
  tidy_entries(m);
  code_names_compiled(m);
  set_kinds(m, &frames);
  if (!is_ecl)
    code_names_note_flags(m, basename);
  free(frames.items);
  if (is_ecl) {
    code_names_core(m);
    find_special_code(m);
  }
  find_finalizers(m);
  find_words(m, is_ecl);
  /* what no symbol covers is still in this module */
  unknown = malloc(strlen(basename) + 3);
  if (unknown != NULL) {
    uint32_t f;
    unknown[0] = '[';
    strcpy(unknown + 1, basename);
    strcat(unknown, "]");
    f = function_table_intern(unknown, unknown, NULL, -1, m->runtime);
    for (size_t i = 0; i < m->count; i++)
      if (m->entries[i].function == 0)
        m->entries[i].function = f;
    free(unknown);
  }
  return m;
}
