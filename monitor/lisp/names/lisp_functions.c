/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_functions.c -- names and frame words have three sources.
 *
 *  - The patched compiler puts a table of names into each compiled file, and
 *    the runtime lists the tables of all files that are loaded.
 *  - Beside it are the records of frame words of the whole library or
 *    program that the file was linked into, and the runtime has its own.
 *  - Core functions that are written in C are found through the function
 *    objects of their symbols.
 *
 * Numbers of functions: those of compiled functions, then from
 * FUNCTION_OBJECT_BASE on those of byte-compiled ones, then what is no
 * function. */
#include "lisp/names/lisp_functions.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "code/file_symbols.h"
#include "code/frame_rule.h"
#include "common/pprof_format.h"
#include "image/image.h"
#include "tables/intern_table.h"
#include "lisp/names/kept_objects.h"
#include "lisp/names/lisp_printer.h"

enum { FUNCTIONS_OF_SPECIAL = 0x1FFFF00 /* | enum site_special */ };

static struct {
  /* numbers of APPLY, and of the APPLY that is a part of its caller; 0: not
     known yet */
  uint32_t apply, passing;
  struct intern_table noted; /* names of files with other flags */
} known;

/* ---- frame words ---- */

/* ECL's own flags keep a frame pointer.  Code without one was compiled with
 * other flags, and may lack whatever else ECL's flags ensure.  Each file is
 * noted once. */
static void
note_other_flags(const struct link_map *file)
{
  const uint32_t before = known.noted.count;
  const char *path = file == NULL || file->l_name[0] == '\0'
                         ? program_invocation_short_name
                         : file->l_name;
  const char *slash = strrchr(path, '/');
  char text[600];
  snprintf(text, sizeof text,
           PPROF_COMMENT_CHAIN_NOTE
           "=%s was not compiled with this ECL's C compiler flags: functions "
           "that are inlined or end in a call can be missing from chains",
           slash != NULL ? slash + 1 : path);
  if (intern_bytes(&known.noted, text, strlen(text)) > before)
    image_note(NOTE_COMMENT, 0, 0, 0, text);
}

/* Returns where the word is that the instruction at `at' sets to zero, from
 * the frame pointer on; 0: it is another instruction, or the word is further
 * off than a call_site can say. */
static int16_t
word_at(uintptr_t at)
{
  int32_t distance = 0;
  const int from = arch_zeroed(at, &distance);
  if (from == ARCH_REGISTER_STACK_POINTER) {
    const struct frame_rule rule = frame_rule_at(at);
    if (rule.base != FRAME_FROM_STACK || rule.saved == 0)
      return 0;
    distance -= (int)rule.offset + rule.saved * (int)sizeof(uintptr_t);
  } else if (from != ARCH_REGISTER_FRAME_POINTER) {
    return 0;
  }
  return distance % (int)sizeof(uint64_t) == 0 && distance >= INT16_MIN &&
                 distance <= INT16_MAX
             ? (int16_t)distance
             : 0;
}

/* Notes the frame words of functions.  Each record leads to the instruction
 * that sets a word to zero.  Of several in a function, which has others
 * inlined, the first is its own.  All files in one library tell the same
 * records, which are read once. */
static void
add_words(struct ecl_frame_words words)
{
  size_t useless = 0;
  for (const int32_t *w = words.begin; w < words.end; w++) {
    const uintptr_t at = (uintptr_t)w + (uintptr_t)(intptr_t)*w;
    const uint32_t number = code_function_of_start(frame_rule_function(at));
    const int16_t word = word_at(at);
    struct code_function *f = code_function_at(number);
    useless += word == 0;
    if (number == 0)
      continue;
    if (f->has_record && w == words.begin)
      return;
    if (!f->has_record) {
      f->has_record = true;
      f->word_at = word;
      code_function_changed(number);
    }
  }
  if (words.begin != ecl_allocation_monitor.words.begin &&
      useless * 2 > (size_t)(words.end - words.begin))
    note_other_flags(code_file((uintptr_t)words.begin));
}

/* ---- names ---- */

/* Returns the function that a table means by the address of one in another
 * file.  All compiled files call the function that loads them init_fas_CODE,
 * and the dynamic linker takes the first of that name for all of them.  0:
 * there is no such function. */
static uintptr_t
own_definition(const struct ecl_function_names *table, uintptr_t address)
{
  const struct link_map *file = code_file((uintptr_t)table);
  struct file_symbols own, other;
  if (file == NULL || file == code_file(address))
    return address;
  return file_symbols_of(table, &own) &&
                 file_symbols_of((const void *)address, &other)
             ? file_symbols_own(&own, &other, address)
             : 0;
}

/* Returns the lines of the source that the table's functions were compiled
 * from; NULL: they are not known, as those of files of ECL and of mprof,
 * whose names are logical.  Leaves the loaded file with them in *OPEN. */
static struct source_lines *
lines_of(const struct ecl_function_names *table, struct source_file **open)
{
  const struct link_map *const file = code_file((uintptr_t)table);
  const uintptr_t first = (uintptr_t)table->names[0].entry;
  if (file == NULL || first == 0 || table->file == NULL ||
      table->file[0] != '/')
    return NULL;
  *open = source_file_open(*open, file);
  return source_lines_read(*open, own_definition(table, first), table->file);
}

/* Adds the functions of a table, as lines_of does with *OPEN. */
static void
add_table(const struct ecl_function_names *table, struct source_file **open)
{
  struct source_lines *const lines = lines_of(table, open);
  for (const struct ecl_function_name *n = table->names; n->entry != NULL;
       n++) {
    const uintptr_t start = own_definition(table, (uintptr_t)n->entry);
    const char *name = n->name;
    char text[64];
    if (start == 0)
      continue;
    if (*name == '"') { /* a string, as "profiled body" */
      snprintf(text, sizeof text, "%.*s", (int)strlen(name) - 2, name + 1);
      name = text;
    }
    code_function_name(start, name, table->file, n->file_position, lines);
  }
  source_lines_release(lines);
  add_words(table->words); /* of functions that have their numbers again */
}

void
lisp_functions_add(const struct ecl_function_names *table)
{
  struct source_file *open = NULL;
  add_table(table, &open);
  source_file_close(open);
}

/* Returns the C function that a core symbol has as its Lisp function; 0 when
 * it is none of the runtime's. */
static uintptr_t
core_function(cl_object symbol)
{
  const cl_object f = ECL_SYM_FUN(symbol);
  uintptr_t start;
  if (f == OBJNULL || Null(f))
    return 0;
  if (ecl_t_of(f) == t_cfunfixed)
    start = (uintptr_t)f->cfunfixed.entry_fixed;
  else if (ecl_t_of(f) == t_cfun)
    start = (uintptr_t)f->cfun.entry;
  else
    return 0;
  /* FUNCALL, MAPCAR and the interpreter call through it: under its Lisp name
     it would stand between all these and what they call */
  return start != (uintptr_t)ecl_apply_from_stack_frame &&
                 code_file(start) == code_file((uintptr_t)ecl_alloc_object)
             ? start
             : 0;
}

/* Names the runtime's functions in C.  Compiled Lisp code among
 * them takes its names from a table. */
static void
add_core(void)
{
  struct lisp_printer out = {0};
  for (cl_index i = 1; i < cl_num_symbols_in_core; i++) {
    const cl_object symbol = (cl_object)(cl_symbols + i);
    const uintptr_t start = core_function(symbol);
    const char *name;
    if (start == 0 ||
        code_function_at(code_function_of_start(start))->name != NULL)
      continue;
    lisp_printer_name(&out, symbol, NAMED_FUNCTION);
    if ((name = lisp_printer_end(&out)) != NULL)
      code_function_name(start, name, NULL, -1, NULL);
  }
  arena_release(&out.text);
}

/* ---- makers of floats, and of conses ----
 *
 * Compiled code that has a number in a variable of C makes an object of it
 * for one of several reasons.  The runtime has the function that does so
 * under a name for each reason (ECL_EACH_REASON in ecl/allocation_monitor.h),
 * and one that makes a cons for a variable that is closed over.  Those for
 * floats and conses are allocators, which no walk of the stack meets.  The
 * kind of the object tells which one it was, and a chain begins with it.
 * (Those for integers are on the stack, as their callees allocate.) */

typedef void maker(void);

#define MAKERS(reason)                                                       \
  [t_singlefloat][ECL_FOR(reason)] = (maker *)ecl_single_float_for_##reason, \
  [t_doublefloat][ECL_FOR(reason)] = (maker *)ecl_double_float_for_##reason, \
  [t_longfloat][ECL_FOR(reason)] = (maker *)ecl_long_float_for_##reason,     \
  [t_csfloat][ECL_FOR(reason)] = (maker *)ecl_csfloat_for_##reason,          \
  [t_cdfloat][ECL_FOR(reason)] = (maker *)ecl_cdfloat_for_##reason,          \
  [t_clfloat][ECL_FOR(reason)] = (maker *)ecl_clfloat_for_##reason,

static maker *const makers[t_end][ECL_REASONS] = {
    ECL_EACH_REASON(MAKERS)
    [t_list][ECL_FOR_variable] = (maker *)ecl_cons_for_variable};

/* Notes which maker makes objects of which kind. */
static void
note_makers(void)
{
  for (uint32_t type = 0; type < t_end; type++)
    for (uint32_t reason = 1; reason < ECL_REASONS; reason++) {
      const uint32_t number =
          code_function_of_start((uintptr_t)makers[type][reason]);
      code_function_note(number);
      if (number != 0)
        image_note(NOTE_ALLOCATOR, type | ECL_ALLOCATED_FOR(reason), number,
                   0, NULL);
    }
}

/* ---- all functions that are there ---- */

/* Gives the second APPLY a number of its own, by an address in the code of
 * the first. */
static void
split_apply(void)
{
  const uintptr_t start = (uintptr_t)cl_apply;
  const struct code_function *whole;
  struct code_function *passing;
  known.apply = code_function_of_start(start);
  known.passing = code_function_of_start(start + 1);
  whole = code_function_at(known.apply);
  passing = code_function_at(known.passing);
  if (known.passing != 0) {
    passing->name = whole->name;
    passing->word_at = whole->word_at;
  }
}

void
lisp_functions_open(void)
{
  const struct ecl_function_names *t = ecl_allocation_monitor.names;
  struct source_file *open = NULL;
  add_words(ecl_allocation_monitor.words);
  for (; t != NULL; t = t->next)
    add_table(t, &open);
  source_file_close(open);
  add_core();
  split_apply();
  note_makers();
}

/* ---- the functions of sites ---- */

/* Returns the number of the function that a site is in; 0 when it is not
 * known. */
static uint32_t
number_of(uint64_t site)
{
  if ((site & SITE_OBJECT) != 0)
    return kept_objects_function((cl_object)(uintptr_t)(site & ~SITE_OBJECT));
  if ((site & SITE_PLACE) != 0)
    return (uint32_t)(site & FUNCTION_NUMBER);
  if ((site & SITE_SPECIAL) != 0)
    return FUNCTIONS_OF_SPECIAL | (uint32_t)(site & ~SITE_SPECIAL);
  return (site & SITE_RETIRED) != 0 ? 0 : code_function_of_site(site);
}

uint32_t
site_function_in_tree(uint64_t site, uint32_t caller)
{
  uint32_t number = number_of(site);
  if (number < FUNCTION_OBJECT_BASE) {
    if (number == known.apply && caller < FUNCTION_OBJECT_BASE &&
        code_function_at(caller)->passes_on)
      number = known.passing;
    code_function_note(number);
    return number | code_function_at(number)->in_tree;
  }
  return number | kept_objects_in_tree(number);
}

bool
site_function_depends(uint32_t function)
{
  const uint32_t number = function & FUNCTION_NUMBER;
  return number != 0 && (number == known.apply || number == known.passing);
}
