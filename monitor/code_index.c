/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_index.c -- modules, their entries, and one sorted array of all.
 *
 * Three tables:
 *  - functions[]: numbers to names; grows only, in blocks that never move;
 *  - modules: the entries (start address, function) of each shared object,
 *    read once, when it is first seen;
 *  - the index: all entries sorted, with an entry of function 0 behind each
 *    gap.  A new one is made and published when a module comes or goes; the
 *    old one is freed once every thread has been seen outside the hook.
 *
 * A small direct-mapped cache in front answers the one question that the
 * walk asks for each frame: which kind of code.
 *
 * Objects that name byte-compiled functions and classes are kept in an
 * open-addressed table filled with compare-and-swap, so that threads add to
 * it without a lock; the collector is given the used part as a root.
 */
#include "code_index.h"

#include <dlfcn.h>
#include <errno.h>
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "gates.h"
#include "lisp_name.h"
#include "lisp_role.h"
#include "module_symbols.h"
#include "monitor.h"
#include "sizes.h"

enum {
  BLOCK = SIZE_FUNCTIONS_IN_BLOCK,
  MAX_BLOCKS = SIZE_FUNCTION_BLOCKS,
  KEPT_SLOTS = 1 << 20,   /* objects kept, at most half as many */
  OBJECT_BASE = 1 << 24   /* function numbers of objects begin here */
};

struct entry {
  uintptr_t start;
  uint32_t function;
  enum code_kind kind;
};

struct known_module {
  uintptr_t base, start, end;
  struct entry *entries;
  size_t count, room;
  enum code_kind kind;    /* of what nothing more is known of */
  bool runtime;
  size_t tables;          /* tables of Lisp names that it has */
  bool seen;              /* still loaded */
  char *path;
  struct known_module *next;
};

struct index {
  size_t count;
  struct entry entries[];
};

static struct code_function *blocks[MAX_BLOCKS];
static uint32_t function_count = 1; /* 0: not known */
static uint32_t *function_hash;     /* open addressing over names */
static uint32_t function_hash_mask;

/* APPLY, and as what it counts where it is a part of CLOS. */
static uint32_t apply_function, passing_apply;

static struct known_module *modules;
static struct index *current;       /* published */

static char **other_flags;          /* names of modules, see below */
static size_t other_flags_count;

uint64_t code_index_kinds[CODE_INDEX_KINDS];

static cl_object *kept_table;       /* KEPT_SLOTS */
static cl_object *kept_list;        /* dense, for the collector */
static char **kept_names;           /* printed names by slot */
static uint32_t kept_count, names_printed;
static void (*next_push_other_roots)(void);

/* ---- functions ---------------------------------------------------------- */

static struct code_function *
function_at(uint32_t number)
{
  return &blocks[number / BLOCK][number % BLOCK];
}

static uint32_t
text_hash(uint32_t h, const char *s)
{
  while (*s != '\0')
    h = (h ^ (unsigned char)*s++) * 16777619u;
  return (h ^ 0xFF) * 16777619u;
}

static bool
same_text(const char *a, const char *b)
{
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
function_hash_grow(void)
{
  uint32_t slots = function_hash_mask == 0 ? 65536
                                           : (function_hash_mask + 1) * 2;
  uint32_t *bigger;
  if (function_hash != NULL && function_count * 2 <= function_hash_mask)
    return true;
  bigger = calloc(slots, sizeof *bigger);
  if (bigger == NULL)
    return false;
  for (uint32_t n = 1; n < function_count; n++) {
    const struct code_function *f = function_at(n);
    uint32_t i = text_hash(text_hash(2166136261u, f->name), f->system_name);
    while (bigger[i & (slots - 1)] != 0)
      i++;
    bigger[i & (slots - 1)] = n;
  }
  free(function_hash);
  function_hash = bigger;
  function_hash_mask = slots - 1;
  return true;
}

/* The number of the function with these names; a new one when there is none.
 * 0 when memory ran out. */
static uint32_t
intern_function(const char *name, const char *system_name, const char *file,
                int file_position, bool runtime)
{
  struct code_function *f;
  uint32_t i, number;
  if (!function_hash_grow())
    return 0;
  i = text_hash(text_hash(2166136261u, name), system_name);
  for (; (number = function_hash[i & function_hash_mask]) != 0; i++) {
    f = function_at(number);
    if (strcmp(f->name, name) == 0 &&
        strcmp(f->system_name, system_name) == 0 &&
        same_text(f->file, file) && f->runtime == runtime)
      return number;
  }
  number = function_count;
  if (number >= OBJECT_BASE || number / BLOCK >= MAX_BLOCKS)
    return 0;
  if (blocks[number / BLOCK] == NULL) {
    blocks[number / BLOCK] = calloc(BLOCK, sizeof(struct code_function));
    if (blocks[number / BLOCK] == NULL)
      return 0;
  }
  f = function_at(number);
  f->name = strdup(name);
  f->system_name = strdup(system_name);
  f->file = file != NULL ? strdup(file) : NULL;
  f->file_position = file_position;
  f->runtime = runtime;
  f->root = strcmp(name, MPROF_ROOT_FUNCTION) == 0;
  f->phase_role = phase_role_of(name, file != NULL ? file : "", runtime);
  if (f->name == NULL || f->system_name == NULL)
    return 0;
  function_hash[i & function_hash_mask] = number;
  function_count++;
  return number;
}

/* ---- modules ------------------------------------------------------------ */

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

static bool
add_entry(struct known_module *m, uintptr_t start, uint32_t function)
{
  if (m->count == m->room) {
    size_t room = m->room == 0 ? SIZE_FIRST_ROOM : m->room * 2;
    struct entry *bigger = realloc(m->entries, room * sizeof *bigger);
    if (bigger == NULL)
      return false;
    m->entries = bigger;
    m->room = room;
  }
  m->entries[m->count++] = (struct entry){
    .start = start,
    .function = function,
    .kind = m->kind,
  };
  return true;
}

/* By address; where two begin together, one that has a function first. */
static int
compare_entries(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if ((x->function == 0) != (y->function == 0))
    return x->function == 0 ? 1 : -1;
  return (x->function > y->function) - (x->function < y->function);
}

/* GCC makes foo.constprop.0, foo.isra.0, foo.part.0 and foo.cold of foo; to
 * people it is foo. */
static bool
add_symbol(void *closure, uintptr_t address, size_t size, const char *name)
{
  struct known_module *m = closure;
  size_t length = strcspn(name, ".");
  char *c_name = strndup(name, length != 0 ? length : strlen(name));
  uint32_t f;
  if (c_name == NULL)
    return false;
  f = intern_function(c_name, c_name, NULL, -1, m->runtime);
  free(c_name);
  if (f == 0 || !add_entry(m, address, f))
    return false;
  return size == 0 || add_entry(m, address + size, 0);
}

static struct entry *
entry_at(const struct known_module *m, uintptr_t address)
{
  size_t low = 0, high = m->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (m->entries[middle].start < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->count && m->entries[low].start == address ? &m->entries[low]
                                                            : NULL;
}

/* Between a generic function and its methods stand functions of CLOS that only
 * pass the arguments on.  Shown, they would be one function from every generic
 * function to every method, and would tie the whole program into one cycle. */
static bool
is_clos_dispatch(const char *name)
{
  static const char *const makers[] = {
    "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)",
    "(LAMBDA :IN CLOS::STANDARD-MAIN-EFFECTIVE-METHOD)",
    "(LAMBDA :IN CLOS::WRAPPED-METHOD-FUNCTION)",
    "CALL-NEXT-METHOD", /* compiled methods have it inline */
  };
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
    if (strcmp(name, makers[i]) == 0)
      return true;
  return false;
}

/* Give the function that begins at `address' its Lisp name. */
static bool
name_entry(struct known_module *m, uintptr_t address, const char *name,
           const char *file, int file_position)
{
  struct entry *e = entry_at(m, address);
  const char *system_name = "";
  uint32_t f;
  if (e != NULL && e->function != 0)
    system_name = function_at(e->function)->system_name;
  f = intern_function(name, system_name, file, file_position,
                      is_clos_dispatch(name));
  if (f == 0)
    return false;
  function_at(f)->passes_on = is_clos_dispatch(name);
  if (e != NULL) {
    e->function = f;
    return true;
  }
  if (!add_entry(m, address, f))
    return false;
  qsort(m->entries, m->count, sizeof *m->entries, compare_entries);
  return true;
}

/* Drop doubles, and gaps that are no gaps: an end that lies on a beginning or
 * inside a function with another name for its first part. */
static void
tidy_entries(struct known_module *m)
{
  size_t kept = 0;
  qsort(m->entries, m->count, sizeof *m->entries, compare_entries);
  for (size_t i = 0; i < m->count; i++)
    if (kept == 0 || m->entries[i].start != m->entries[kept - 1].start)
      m->entries[kept++] = m->entries[i];
  m->count = kept;
}

/* Whether a table of names is of the module with these addresses.  The last
 * entry of a table is the function that loads the file, see below; when it is
 * the only one, the table itself says. */
static bool
names_lie_in(const struct ecl_function_names *t, uintptr_t base,
             uintptr_t start, uintptr_t end)
{
  Dl_info owner;
  if (t->names[0].entry != NULL && t->names[1].entry == NULL)
    return dladdr((const void *)t->names, &owner) != 0 &&
           (uintptr_t)owner.dli_fbase == base;
  return (uintptr_t)t->names[0].entry >= start &&
         (uintptr_t)t->names[0].entry < end;
}

/* The function that compiled code means by an address in another module.  All
 * compiled files call the function that loads them init_fas_CODE, and the
 * dynamic linker takes the first of that name for all of them.  Gives back 0
 * when there is no such function. */
static uintptr_t
own_definition(const struct known_module *m, uintptr_t address)
{
  Dl_info other;
  if (address >= m->start && address < m->end)
    return address;
  if (dladdr((const void *)address, &other) == 0 || other.dli_sname == NULL)
    return 0;
  for (size_t i = 0; i < m->count; i++)
    if (m->entries[i].function != 0 &&
        strcmp(function_at(m->entries[i].function)->system_name,
               other.dli_sname) == 0)
      return m->entries[i].start;
  return 0;
}

static void
name_compiled_functions(struct known_module *m)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  for (; t != NULL; t = t->next) {
    if (!names_lie_in(t, m->base, m->start, m->end))
      continue;
    for (const struct ecl_function_name *n = t->names; n->entry != NULL;
         n++) {
      uintptr_t entry = own_definition(m, (uintptr_t)n->entry);
      if (entry != 0)
        name_entry(m, entry, n->name, t->file, n->file_position);
    }
  }
}

/* Core functions written in C: the symbols' own function objects. */
static void
name_core_functions(struct known_module *m)
{
  for (cl_index i = 0; i < cl_num_symbols_in_core; i++) {
    cl_object symbol = (cl_object)(cl_symbols + i);
    cl_object f = i == 0 ? OBJNULL : ECL_SYM_FUN(symbol);
    uintptr_t entry;
    char *name;
    if (f == OBJNULL || Null(f))
      continue;
    if (ecl_t_of(f) == t_cfunfixed)
      entry = (uintptr_t)f->cfunfixed.entry_fixed;
    else if (ecl_t_of(f) == t_cfun)
      entry = (uintptr_t)f->cfun.entry;
    else
      continue;
    /* FUNCALL, MAPCAR and the interpreter call through it: under its Lisp name
       it would stand between all these and what they call */
    if (entry == (uintptr_t)ecl_apply_from_stack_frame)
      continue;
    if (entry < m->start || entry >= m->end || entry_at(m, entry) == NULL ||
        !function_at(entry_at(m, entry)->function)->runtime)
      continue; /* elsewhere, or it has its Lisp name */
    name = lisp_name_of_function(symbol);
    if (name != NULL)
      name_entry(m, entry, name, NULL, -1);
    free(name);
  }
}

/* Compiled Lisp code may lie in one object with C code that was compiled in
 * another way, or may have been compiled with flags of the user's: what keeps
 * a frame pointer is asked function by function.  Call-frame information also
 * says where functions begin and end when symbols were stripped, so that code
 * without a name is not taken for the function before it. */
struct frame_list {
  struct known_module *module;
  struct frame_function *items;
  size_t count, room;
};

static bool
add_frame(void *closure, const struct frame_function *f)
{
  struct frame_list *list = closure;
  struct known_module *m = list->module;
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
  return add_entry(m, f->start, 0) && add_entry(m, f->start + f->size, 0);
}

/* Set the kind of all entries that lie in functions of the list. */
static void
set_kinds(struct known_module *m, const struct frame_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct frame_function *f = &list->items[i];
    struct entry *e = entry_at(m, f->start), *end = m->entries + m->count;
    for (; e != NULL && e < end && e->start < f->start + f->size; e++)
      e->kind = f->frame_pointer ? CODE_FRAME_POINTER : CODE_FOREIGN;
  }
}

/* Where the collector calls finalizers, in the middle of any allocation. */
static void
find_finalizers(struct known_module *m)
{
  struct entry *e = entry_at(m, (uintptr_t)GC_invoke_finalizers);
  if (e != NULL)
    e->kind = CODE_FINALIZERS;
}

/* The interpreter, and the functions between a call through a function object
 * and the C function that takes a fixed number of arguments.  Each of these
 * calls one function and allocates nothing; leaving them out saves a context
 * and a mark in every call through a symbol. */
static void
find_special_code(struct known_module *m)
{
  struct entry *e = entry_at(m, (uintptr_t)ecl_interpret);
  if (e != NULL)
    e->kind = CODE_INTERPRETER;
  e = entry_at(m, (uintptr_t)cl_apply);
  if (e != NULL) {
    const struct code_function *f = function_at(e->function);
    passing_apply =
        intern_function(f->name, f->system_name, f->file, -1, true);
    apply_function = e->function;
  }
  for (size_t i = 0; i < m->count; i++) {
    uint32_t f = m->entries[i].function;
    if (f != 0 && strncmp(function_at(f)->system_name, "fixed_dispatch",
                          strlen("fixed_dispatch")) == 0)
      m->entries[i].kind = CODE_DISPATCH;
  }
}

/* How many tables of Lisp names there are of this module's code.  Each file
 * that was joined into it has one, and registers it when it is initialized. */
static size_t
count_tables(const struct module *module)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  size_t count = 0;
  for (; t != NULL; t = t->next)
    count += names_lie_in(t, module->base, module->start, module->end);
  return count;
}

/* Remember the module if most of its Lisp functions keep no frame pointer.
 * ECL's own flags keep one, so these were compiled with others, and what else
 * ECL's flags see to cannot be relied on. */
static void
note_other_flags(const struct known_module *m, const char *name)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  size_t all = 0, without = 0;
  char *copy, **longer;
  for (; t != NULL; t = t->next) {
    if (!names_lie_in(t, m->base, m->start, m->end))
      continue;
    for (const struct ecl_function_name *n = t->names; n->entry != NULL; n++) {
      const struct entry *e = entry_at(m, (uintptr_t)n->entry);
      all++;
      without += e != NULL && e->kind == CODE_FOREIGN;
    }
  }
  if (without * 2 <= all)
    return;
  for (size_t i = 0; i < other_flags_count; i++)
    if (strcmp(other_flags[i], name) == 0)
      return;
  copy = strdup(name);
  longer = realloc(other_flags, (other_flags_count + 1) * sizeof *longer);
  if (longer != NULL)
    other_flags = longer;
  if (copy != NULL && longer != NULL)
    other_flags[other_flags_count++] = copy;
  else
    free(copy);
}

const char *
code_index_other_flags(size_t i)
{
  return i < other_flags_count ? other_flags[i] : NULL;
}

static void
forget_module(struct known_module *m)
{
  free(m->entries);
  free(m->path);
  free(m);
}

static struct known_module *
learn_module(const struct module *module)
{
  struct known_module *m = calloc(1, sizeof *m);
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
  m->tables = count_tables(module);
  m->kind = is_ecl ? CODE_FRAME_POINTER : CODE_FOREIGN;
  m->runtime = is_ecl || is_runtime_module(basename, module->path);
  module_symbols(module, add_symbol, m);
  if (!is_ecl && m->tables != 0)
    module_frames(module, add_frame, &frames);
  add_entry(m, m->start, 0);
  tidy_entries(m);
  name_compiled_functions(m);
  set_kinds(m, &frames);
  if (!is_ecl)
    note_other_flags(m, basename);
  free(frames.items);
  if (is_ecl) {
    name_core_functions(m);
    find_special_code(m);
  }
  find_finalizers(m);
  /* what no symbol covers is still in this module */
  unknown = malloc(strlen(basename) + 3);
  if (unknown != NULL) {
    uint32_t f;
    unknown[0] = '[';
    strcpy(unknown + 1, basename);
    strcat(unknown, "]");
    f = intern_function(unknown, unknown, NULL, -1, m->runtime);
    for (size_t i = 0; i < m->count; i++)
      if (m->entries[i].function == 0)
        m->entries[i].function = f;
    free(unknown);
  }
  return m;
}

/* ---- the index ---------------------------------------------------------- */

static int
publish(void)
{
  size_t count = 0;
  struct index *old = current, *new;
  for (const struct known_module *m = modules; m != NULL; m = m->next)
    count += m->count + 1;
  new = malloc(sizeof *new + count * sizeof(struct entry));
  if (new == NULL)
    return -1;
  new->count = 0;
  for (const struct known_module *m = modules; m != NULL; m = m->next) {
    memcpy(&new->entries[new->count], m->entries,
           m->count * sizeof(struct entry));
    new->count += m->count;
    new->entries[new->count++] =
        (struct entry){ .start = m->end, .kind = CODE_FOREIGN };
  }
  qsort(new->entries, new->count, sizeof(struct entry), compare_entries);
  __atomic_store_n(&current, new, __ATOMIC_RELEASE);
  for (size_t i = 0; i < CODE_INDEX_KINDS; i++)
    __atomic_store_n(&code_index_kinds[i], 0, __ATOMIC_RELAXED);
  if (old != NULL) {
    gates_wait_for_hooks();
    free(old);
  }
  return 0;
}

static void
push_kept_objects(void)
{
  if (kept_list != NULL && kept_count > 0)
    GC_push_all(kept_list, kept_list + kept_count);
  if (next_push_other_roots != NULL)
    next_push_other_roots();
}

static int
reserve_kept(void)
{
  static struct arena table, list, names;
  if (kept_table != NULL)
    return 0;
  if (arena_reserve(&table, KEPT_SLOTS * sizeof(cl_object)) != 0 ||
      arena_reserve(&list, KEPT_SLOTS * sizeof(cl_object)) != 0 ||
      arena_reserve(&names, KEPT_SLOTS * sizeof(char *)) != 0)
    return -1;
  kept_list = list.base;
  kept_names = names.base;
  kept_table = table.base;
  next_push_other_roots = GC_get_push_other_roots();
  GC_set_push_other_roots(push_kept_objects);
  return 0;
}

int
code_index_update(void)
{
  struct module *list;
  bool changed = current == NULL;
  if (reserve_kept() != 0 || (list = module_list()) == NULL)
    return -1;
  for (struct known_module *m = modules; m != NULL; m = m->next)
    m->seen = false;
  for (const struct module *l = list; l != NULL; l = l->next) {
    struct known_module *m = modules;
    while (m != NULL &&
           (m->base != l->base || m->start != l->start ||
            m->tables != count_tables(l) || strcmp(m->path, l->path) != 0))
      m = m->next;
    /* what has got more names is learned again, and the old one goes */
    if (m == NULL) {
      if ((m = learn_module(l)) == NULL)
        break;
      m->next = modules;
      modules = m;
      changed = true;
    }
    m->seen = true;
  }
  module_list_free(list);
  for (struct known_module **p = &modules; *p != NULL;) {
    struct known_module *m = *p;
    if (m->seen) {
      p = &m->next;
    } else {
      *p = m->next;
      forget_module(m);
      changed = true;
    }
  }
  return changed ? publish() : 0;
}

static struct known_module **
find_module(uintptr_t base)
{
  struct known_module **p = &modules;
  while (*p != NULL && (*p)->base != base)
    p = &(*p)->next;
  return p;
}

void
code_index_range(uintptr_t base, uintptr_t *start, uintptr_t *end)
{
  const struct known_module *m = *find_module(base);
  *start = m != NULL ? m->start : 0;
  *end = m != NULL ? m->end : 0;
}

void
code_index_unload(uintptr_t base)
{
  struct known_module **p = find_module(base), *m = *p;
  if (m == NULL)
    return;
  *p = m->next;
  forget_module(m);
  publish();
}

static const struct entry *
find_entry(const struct index *index, uintptr_t address)
{
  size_t low = 0, high = index->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (index->entries[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &index->entries[low - 1] : NULL;
}

enum code_kind
code_index_find(uintptr_t address, uint32_t *function)
{
  uint64_t *slot =
      &code_index_kinds[(address ^ (address >> 12)) % CODE_INDEX_KINDS];
  const struct entry *e;
  /* the byte before: a return address may be the end of its function */
  e = find_entry(__atomic_load_n(&current, __ATOMIC_ACQUIRE), address - 1);
  if (function != NULL)
    *function = e != NULL ? e->function : 0;
  if (e == NULL)
    return CODE_FOREIGN;
  __atomic_store_n(slot, (uint64_t)address << 3 | (uint64_t)e->kind,
                   __ATOMIC_RELAXED);
  return e->kind;
}

/* ---- objects ------------------------------------------------------------ */

/* The slot of `object' in the table of what is kept; KEPT_SLOTS when that is
 * full. */
static uint32_t
keep(cl_object object)
{
  uint64_t h = (uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15ULL;
  uint32_t i = (uint32_t)(h >> 44) % KEPT_SLOTS;
  for (;; i = (i + 1) % KEPT_SLOTS) {
    cl_object found = __atomic_load_n(&kept_table[i], __ATOMIC_ACQUIRE);
    if (found == object)
      return i;
    if (found == OBJNULL) {
      if (kept_count >= KEPT_SLOTS / 2)
        return KEPT_SLOTS;
      if (__atomic_compare_exchange_n(&kept_table[i], &found, object, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        uint32_t n = __atomic_fetch_add(&kept_count, 1, __ATOMIC_ACQ_REL);
        __atomic_store_n(&kept_list[n], object, __ATOMIC_RELEASE);
        return i;
      }
      if (found == object)
        return i;
    }
  }
}

void
code_index_keep(cl_object object)
{
  keep(object);
}

uint32_t
code_index_object(cl_object name)
{
  uint32_t slot = keep(name);
  return slot < KEPT_SLOTS ? OBJECT_BASE + slot : 0;
}

enum code_role
code_index_role(uint32_t number)
{
  const struct code_function *f;
  if (number == 0 || number >= OBJECT_BASE)
    return ROLE_SHOWN;
  f = function_at(number);
  return f->runtime ? ROLE_RUNTIME : f->root ? ROLE_ROOT : ROLE_SHOWN;
}

enum phase_role
code_index_phase_role(uint32_t number)
{
  if (number == 0)
    return ROLE_NEUTRAL;
  if (number < OBJECT_BASE)
    return function_at(number)->phase_role;
  return number - OBJECT_BASE < KEPT_SLOTS
             ? lisp_role_of_function(kept_table[number - OBJECT_BASE])
             : ROLE_NEUTRAL;
}

uint32_t
code_index_called(uint32_t function, uint32_t caller)
{
  if (function == 0 || function != apply_function || caller >= OBJECT_BASE ||
      !function_at(caller)->passes_on)
    return function;
  return passing_apply != 0 ? passing_apply : function;
}

uint32_t
code_index_passing_apply(void)
{
  return passing_apply;
}

/* A class or a name, as people read it. */
static char *
printed_name(cl_object object)
{
  if (ecl_t_of(object) == t_instance)
    return lisp_name_of_class(object);
  return lisp_role_of_function(object) == ROLE_FORM
             ? strdup("(TOP-LEVEL-FORM)")
             : lisp_name_of_function(object);
}

/* A class whose name has lost its package keeps what was printed before. */
static bool
has_lost_name(cl_object clas)
{
  cl_object name = ECL_CLASS_NAME(clas), package;
  if (ecl_t_of(name) != t_symbol || Null(name))
    return false;
  package = name->symbol.hpack;
  return package == OBJNULL || Null(package) || Null(package->pack.name);
}

void
code_index_print_names(bool classes)
{
  uint32_t count = __atomic_load_n(&kept_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = classes ? 0 : names_printed; i < count; i++) {
    cl_object object = __atomic_load_n(&kept_list[i], __ATOMIC_ACQUIRE);
    uint32_t slot;
    if (object == OBJNULL)
      return; /* another thread is about to store it */
    slot = keep(object);
    if (kept_names[slot] != NULL && ecl_t_of(object) == t_instance &&
        !has_lost_name(object)) {
      free(kept_names[slot]);
      kept_names[slot] = NULL;
    }
    if (kept_names[slot] == NULL)
      kept_names[slot] = printed_name(object);
    if (i >= names_printed)
      names_printed = i + 1;
  }
}

bool
code_index_names_wait(void)
{
  return names_printed < __atomic_load_n(&kept_count, __ATOMIC_ACQUIRE);
}

const char *
code_index_class_name(cl_object clas)
{
  uint32_t slot = keep(clas);
  static char *last; /* of a class for which there was no room */
  if (slot < KEPT_SLOTS) {
    if (kept_names[slot] == NULL)
      kept_names[slot] = printed_name(clas);
    return kept_names[slot];
  }
  free(last);
  return last = lisp_name_of_class(clas);
}

const struct code_function *
code_index_function(uint32_t number)
{
  static struct code_function object;
  uint32_t slot = number - OBJECT_BASE;
  if (number == 0)
    return NULL;
  if (number < OBJECT_BASE)
    return number < function_count ? function_at(number) : NULL;
  if (slot >= KEPT_SLOTS || kept_table[slot] == OBJNULL)
    return NULL;
  if (kept_names[slot] == NULL)
    kept_names[slot] = printed_name(kept_table[slot]);
  object = (struct code_function){
    .name = kept_names[slot] != NULL ? kept_names[slot] : "(OUT-OF-MEMORY)",
    .system_name = "",
    .file_position = -1,
  };
  return &object;
}
