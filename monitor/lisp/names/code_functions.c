/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_functions.c -- records in an array that never moves, so that the hook
 * reads them without a lock.
 *
 * What the hook has to know of a function that has no Lisp name follows from
 * the file that it was loaded from: the dynamic linker says without a lock
 * which that is. */
#include "lisp/names/code_functions.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <ecl/ecl.h>

#include "base/sizes.h"
#include "common/phase.h"
#include "common/system_functions.h"
#include "image/image.h"

enum { MOST_FUNCTIONS = (1 << 22) - 1 }; /* below FUNCTION_OBJECT_BASE */

static bool add_function(uint32_t number, uintptr_t code);

static struct {
  struct function_numbers numbers;
  struct arena arena;             /* struct code_function by number */
  uint32_t unloaded;              /* the first whose number waits */
  const struct link_map *runtime; /* the file that has ECL itself */
  bool program_is_ecl;            /* see is_runtime */
} functions = {.arena = {.most = ((size_t)MOST_FUNCTIONS + 1) *
                                 sizeof(struct code_function)},
               .numbers = {.table = SHARED_TABLE_EMPTY,
                           .most = MOST_FUNCTIONS,
                           .on_new_number = add_function}};

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

/* Returns whether the program of this process is ECL's own, that is bin/ecl
 * beside the folder that libecl is in.  Any other was written or built by the
 * user. */
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

/* Returns whether ECL itself is made of the file; others are the user's. */
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
    if (strncmp(basename(file->l_name), names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

static void
note(uint32_t number)
{
  const struct code_function *const f = code_function_at(number);
  if (f->code != 0)
    code_notes_add(f->code);
  image_note(NOTE_FUNCTION, number,
             ((f->in_tree & FUNCTION_HIDDEN) != 0 ? NOTE_RUNTIME : 0) |
                 (f->word_at != 0 ? NOTE_CALLS_KNOWN : 0) |
                 (f->code == 0 ? NOTE_UNLOADED : 0),
             f->code != 0 ? f->code : f->retired, NULL);
  if (f->name != NULL)
    image_note(NOTE_NAME, number, 0, 0, f->name);
  if (f->file != NULL)
    image_note(NOTE_SOURCE, number, (uint64_t)(f->file_position + 1), 0,
               f->file);
}

void
code_function_note(uint32_t number)
{
  struct code_function *const f = code_function_at(number);
  if (number == 0 || f->is_noted)
    return;
  f->is_noted = true;
  note(number);
}

void
code_function_changed(uint32_t number)
{
  if (code_function_at(number)->is_noted)
    note(number);
}

/* Adds a function that has no name yet.  C functions of the program are the
 * program's, whatever they are called; code that is in no file belongs to
 * none. */
static bool
add_function(uint32_t number, uintptr_t code)
{
  struct code_function *const f =
      arena_record(&functions.arena, number, sizeof *f);
  const struct link_map *file = code_file(code);
  if (f == NULL)
    return false;
  *f = (struct code_function){ .code = code, .file_position = -1 };
  if (file != NULL)
    f->in_tree = is_runtime(file)
                     ? FUNCTION_HIDDEN
                     : (uint32_t)ROLE_PROGRAM << FUNCTION_ROLE_SHIFT;
  return true;
}

int
code_functions_open(void)
{
  functions.runtime = code_file((uintptr_t)ecl_alloc_object);
  functions.program_is_ecl = is_ecl_program();
  return arena_grow(&functions.arena, SIZE_FIRST_ARENA);
}

/* ---- Lisp names ---- */

/* Gives the function that begins at START the number of an unloaded one of
 * the same name and file, if there is one. */
static void
take_up_again(uintptr_t start, const char *name, const char *file,
              int file_position)
{
  uint32_t *waiting = &functions.unloaded;
  struct code_function *f = NULL;
  for (; *waiting != 0 && file != NULL; waiting = &f->next_unloaded) {
    f = code_function_at(*waiting);
    if (strcmp(f->name, name) == 0 && strcmp(f->file, file) == 0)
      break;
  }
  if (*waiting == 0 || file == NULL ||
      !function_number_again(&functions.numbers, start, *waiting))
    return;
  *waiting = f->next_unloaded;
  f->code = start;
  f->file_position = file_position;
  f->word_at = 0;
  f->has_record = false;
}

void
code_function_name(uintptr_t start, const char *name, const char *file,
                   int file_position, struct source_lines *lines)
{
  struct code_function *f;
  enum phase_role role;
  uint32_t number, flags = 0;
  take_up_again(start, name, file, file_position);
  number = code_function_of_start(start);
  f = code_function_at(number);
  if (number == 0)
    return;
  f->lines = source_lines_share(lines); /* where it is told of twice, the hook
                                           may read the first ones: they stay */
  if (f->name != NULL && strcmp(f->name, name) == 0)
    return;
  f->name = strdup(name);
  f->file = file != NULL ? strdup(file) : NULL;
  f->file_position = file_position;
  f->passes_on = lisp_name_passes_on(name);
  role = phase_role_of(name, file != NULL ? file : "", f->passes_on);
  if (f->passes_on)
    flags = FUNCTION_HIDDEN;
  else if (strcmp(name, MPROF_ROOT_FUNCTION) == 0)
    flags = FUNCTION_ROOT;
  f->in_tree = (uint32_t)role << FUNCTION_ROLE_SHIFT | flags;
  code_function_changed(number);
}

/* ---- lines ---- */

uint64_t
code_function_place(uintptr_t ip, bool apart)
{
  const uint32_t number = code_function_of_site(ip);
  const struct code_function *const f = code_function_at(number);
  const uint32_t line =
      f->lines == NULL ? 0 : source_lines_at(f->lines, ip - 1);
  const bool known = line != 0 && line <= PLACE_LINES;
  uintptr_t offset = 0;
  apart = apart && f->name != NULL &&
          (known || code_file(ip) != functions.runtime);
  if (!known && !apart)
    return ip;
  if (apart) /* all that is too far is one */
    offset = ip - f->code < PLACE_OFFSETS ? ip - f->code : PLACE_OFFSETS;
  return site_place(number, known ? line : 0, (uint32_t)offset);
}

/* ---- code that goes away ---- */

void
code_functions_retire(const struct code_object *gone)
{
  struct code_object retired = code_notes_retire(gone, &functions.numbers);
  /* the first one waits at the front, for code is loaded in the same order */
  for (uint32_t i = functions.numbers.last; i > 0; i--) {
    struct code_function *f = code_function_at(i);
    if (f->code < gone->start || f->code >= gone->end)
      continue;
    f->retired = code_object_retired_site(&retired, f->code);
    f->code = 0;
    source_lines_release(f->lines);
    f->lines = NULL;
    code_function_changed(i);
    if (f->name == NULL || f->file == NULL)
      continue;
    f->next_unloaded = functions.unloaded;
    functions.unloaded = i;
  }
}
