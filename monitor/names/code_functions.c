/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_functions.c -- records in an array that is reserved once, so that the
 * hook reads them without a lock.
 *
 * What the hook has to know of a function that has no Lisp name follows from
 * the file that it was loaded from: the dynamic linker says without a lock
 * which that is.
 *
 * C names.  The functions of one file that lack a name are sorted by address;
 * then the file's symbols are read once, and each names those that it covers.
 */
#include "names/code_functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "common/phase.h"
#include "common/system_functions.h"
#include "tree/image.h"

enum { MOST_FUNCTIONS = (1 << 22) - 1 }; /* below FUNCTION_OBJECT_BASE */

static void meet(uint32_t number, uintptr_t code);

static struct {
  struct function_numbers numbers;
  struct arena arena;
  const struct link_map *runtime; /* the file that has ECL itself */
  bool program_is_ecl;            /* see is_runtime */
} functions = { .numbers = { .table = SHARED_TABLE_EMPTY,
                             .most = MOST_FUNCTIONS,
                             .given = meet } };

struct code_function *
code_function_at(uint32_t number)
{
  return (struct code_function *)functions.arena.base + number;
}

uint32_t
code_function_of_site(uint64_t site)
{
  return function_number_of_site(&functions.numbers, site);
}

uint32_t
code_function_of_start(uintptr_t start)
{
  return function_number_of_start(&functions.numbers, start);
}

/* ---- the runtime's functions ---- */

const struct link_map *
code_file(uintptr_t address)
{
  struct dl_find_object object;
  return _dl_find_object((void *)address, &object) == 0
             ? object.dlfo_link_map
             : NULL;
}

/* Is the program of this process ECL's own, that is bin/ecl beside the folder
 * that libecl is in?  Any other was written or built by the user. */
static bool
is_ecl_program(void)
{
  const char *library = functions.runtime->l_name;
  const char *slash = strrchr(library, '/');
  struct stat program, ecl;
  char path[PATH_MAX];
  return slash != NULL &&
         snprintf(path, sizeof path, "%.*s/../bin/ecl",
                  (int)(slash - library), library) < (int)sizeof path &&
         stat("/proc/self/exe", &program) == 0 && stat(path, &ecl) == 0 &&
         program.st_dev == ecl.st_dev && program.st_ino == ecl.st_ino;
}

static const char *
last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* What ECL itself is made of; a C function in any other file is the user's
 * and is shown. */
static bool
is_runtime(const struct link_map *file)
{
  static const char *const names[] = {
    "libecl.so", "libgc.so",      "libgmp.so",      "libffi.so",
    "libc.so",   "libm.so",       "libpthread.so",  "libdl.so",
    "ld-linux",  "linux-vdso",    "libmprof-",      "libunwind",
    "libz.so",   "libelf.so",     "libprotobuf-c.", "libgcc_s.so",
    "libatomic", "liblzma",
  };
  if (file == functions.runtime)
    return true;
  if (file->l_name[0] == '\0') /* the program */
    return functions.program_is_ecl;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strncmp(last_part(file->l_name), names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

void
code_function_note(uint32_t number)
{
  const struct code_function *const f = code_function_at(number);
  if (!image_is_open() || number == 0)
    return;
  code_objects_note(f->code);
  image_note(NOTE_FUNCTION, number,
             (f->runtime ? NOTE_RUNTIME : 0) |
                 (f->calls_known ? NOTE_CALLS_KNOWN : 0),
             f->code, f->system_name);
  if (f->name != NULL)
    image_note(NOTE_NAME, number, 0, 0, f->name);
  if (f->file != NULL)
    image_note(NOTE_SOURCE, number, (uint64_t)(f->file_position + 1), 0,
               f->file);
}

void
code_functions_note(void)
{
  for (uint32_t i = 1; i <= functions.numbers.last; i++)
    code_function_note(i);
}

/* A function that has no name yet.  C functions of the program are the
 * program's, whatever they are called; code that is in no file is nobody's.
 */
static void
meet(uint32_t number, uintptr_t code)
{
  struct code_function *f = code_function_at(number);
  const struct link_map *file = code_file(code);
  *f = (struct code_function){ .code = code, .file_position = -1 };
  f->runtime = file != NULL && is_runtime(file);
  f->in_tree =
      f->runtime     ? FUNCTION_HIDDEN
      : file != NULL ? (uint32_t)ROLE_PROGRAM << FUNCTION_ROLE_SHIFT
                     : 0;
  code_function_note(number);
}

int
code_functions_open(void)
{
  functions.runtime = code_file((uintptr_t)ecl_alloc_object);
  functions.program_is_ecl = is_ecl_program();
  return arena_reserve(&functions.arena, ((size_t)MOST_FUNCTIONS + 1) *
                                             sizeof(struct code_function));
}

/* ---- Lisp names ---- */

void
code_function_name(uintptr_t start, const char *name, const char *file,
                   int file_position)
{
  const uint32_t number = code_function_of_start(start);
  struct code_function *f = code_function_at(number);
  enum phase_role role;
  uint32_t flags = 0;
  if (number == 0 || (f->name != NULL && strcmp(f->name, name) == 0))
    return;
  f->name = strdup(name);
  f->file = file != NULL ? strdup(file) : NULL;
  f->file_position = file_position;
  f->passes_on = f->runtime = lisp_name_passes_on(name);
  role = phase_role_of(name, file != NULL ? file : "", f->runtime);
  if (f->runtime)
    flags = FUNCTION_HIDDEN;
  else if (strcmp(name, MPROF_ROOT_FUNCTION) == 0)
    flags = FUNCTION_ROOT;
  f->in_tree = (uint32_t)role << FUNCTION_ROLE_SHIFT | flags;
  code_function_note(number);
}

/* ---- C names ---- */

/* A function that lacks its C name, and the symbol that it has it from. */
struct nameless {
  struct code_function *function;
  uintptr_t symbol;
};

struct naming {
  struct nameless *items; /* by address */
  size_t count;
};

static int
compare_nameless(const void *a, const void *b)
{
  const struct nameless *x = a, *y = b;
  return (x->function->code > y->function->code) -
         (x->function->code < y->function->code);
}

/* GCC makes foo.constprop.0, foo.isra.0, foo.part.0 and foo.cold of foo; to
 * people it is foo. */
static char *
copy_c_name(const char *symbol)
{
  const size_t length = strcspn(symbol, ".");
  return strndup(symbol, length != 0 ? length : strlen(symbol));
}

/* Of the symbols that cover a function it is the last one to begin, and of
 * these the first. */
static void
add_symbol(const struct naming *naming, uintptr_t address, size_t size,
           const char *name)
{
  const uintptr_t end = address + (size != 0 ? size : 1);
  size_t low = 0, high = naming->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (naming->items[middle].function->code < address)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < naming->count && naming->items[low].function->code < end;
       low++) {
    struct nameless *item = &naming->items[low];
    if (item->symbol < address) {
      free((char *)item->function->system_name);
      item->function->system_name = copy_c_name(name);
      item->symbol = address;
    }
  }
}

/* The full symbol table where the file has one, else the dynamic one. */
static Elf_Scn *
find_symbol_table(Elf *elf, GElf_Shdr *header)
{
  Elf_Scn *section = NULL, *dynamic = NULL;
  GElf_Shdr h;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    if (gelf_getshdr(section, &h) == NULL ||
        (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM))
      continue;
    *header = h;
    if (h.sh_type == SHT_SYMTAB)
      return section;
    dynamic = section;
  }
  return dynamic;
}

static bool
is_function(const GElf_Sym *symbol)
{
  const int type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF &&
         (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Read the symbols of the file, which is loaded at `base'.  One that cannot
 * be read has none. */
static void
add_symbols(const struct naming *naming, const char *path, uintptr_t base)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  Elf *elf = NULL;
  Elf_Scn *section = NULL;
  Elf_Data *data = NULL;
  GElf_Shdr header;
  GElf_Sym symbol;
  if (file >= 0 && elf_version(EV_CURRENT) != EV_NONE)
    elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
  if (elf != NULL)
    section = find_symbol_table(elf, &header);
  if (section != NULL)
    data = elf_getdata(section, NULL);
  for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL;
       i++) {
    const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != NULL && is_function(&symbol))
      add_symbol(naming, base + symbol.st_value, symbol.st_size, name);
  }
  elf_end(elf);
  if (file >= 0)
    close(file);
}

/* What no symbol covers is called after the file. */
static void
name_rest(const struct naming *naming, const char *file)
{
  char *name = NULL;
  for (size_t i = 0; i < naming->count; i++) {
    struct code_function *f = naming->items[i].function;
    if (f->system_name == NULL && f->name != NULL)
      f->system_name = "";
    if (f->system_name == NULL &&
        (name != NULL || asprintf(&name, "[%s]", file) >= 0))
      f->system_name = name;
    if (f->name == NULL)
      f->name = f->system_name;
  }
}

static void
find_names(const struct code_object *o, bool program)
{
  const uint32_t last = functions.numbers.last;
  struct naming naming = { .items = calloc(last, sizeof *naming.items) };
  if (naming.items == NULL)
    return;
  for (uint32_t i = 1; i <= last; i++) {
    struct code_function *f = code_function_at(i);
    if (f->system_name == NULL && f->code >= o->start && f->code < o->end)
      naming.items[naming.count++].function = f;
  }
  if (naming.count > 0) {
    qsort(naming.items, naming.count, sizeof *naming.items,
          compare_nameless);
    add_symbols(&naming, program ? "/proc/self/exe" : o->path, o->base);
    name_rest(&naming, program ? program_invocation_short_name
                               : last_part(o->path));
  }
  free(naming.items);
}

void
code_functions_find_names(const struct code_objects *loaded)
{
  for (size_t i = 0; i < loaded->count; i++)
    find_names(&loaded->objects[i], i == 0);
}

struct code_object
code_functions_retire(const struct code_object *gone)
{
  find_names(gone, false);
  for (uint32_t i = 1; i <= functions.numbers.last; i++) {
    struct code_function *f = code_function_at(i);
    if (f->code >= gone->start && f->code < gone->end) {
      code_function_note(i);
      f->code = 0;
    }
  }
  return code_objects_retire(gone, &functions.numbers);
}
