/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Makes the table of frames: functions first, in the order of the profile,
 * then the locations. */

#include "analysis/frames.h"

#include "base/array.h"
#include "base/sink.h"
#include "common/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct making {
  struct frame_table *table;
  struct index_map known; /* by name and scope */
  uint32_t *of_function;  /* function of the profile -> ours */
};

uint32_t
frame_table_add(struct frame_table *table, struct function function)
{
  ARRAY_PUSH(table->functions, table->function_count,
             table->function_capacity, function);
  return (uint32_t)(table->function_count - 1);
}

/* ---- functions that have their names from their source files ---- */

/* Begins the name of code that stands in a top-level form and defines
 * nothing: the file follows, without its folder, as in (LAMBDA :IN (LOAD
 * "package.lisp")).  A program may have many files of that name, and no other
 * function of two files shares a name.  So each shows the shortest end of its
 * path that no other has, as in (LOAD "lib/package.lisp"). */
static const char opening[] = "(LOAD \"";

static bool
is_named_after_file(const char *name)
{
  return strstr(name, opening) != NULL;
}

/* Returns the end of PATH that has one component more than END, or PATH. */
static const char *
longer_end(const char *path, const char *end)
{
  end -= end > path;
  while (end > path && end[-1] != '/')
    end--;
  return end;
}

/* Gives the function F a name with END of its path; TEXT is for that. */
static void
rename_function(struct frame_table *table, uint32_t f, const char *end,
                struct string_sink *text)
{
  const char *name = function_name(table, f);
  const char *rest = strstr(name, opening) + sizeof opening - 1;
  string_sink_clear(text);
  sink_bytes(&text->sink, name, (size_t)(rest - name));
  for (; *end != '\0'; end++) {
    if (*end == '"' || *end == '\\')
      sink_text(&text->sink, "\\");
    sink_bytes(&text->sink, end, 1);
  }
  while (*rest != '\0' && *rest != '"')
    rest += *rest == '\\' && rest[1] != '\0' ? 2 : 1;
  sink_text(&text->sink, rest);
  table->functions[f].name =
      names_intern(&table->names, string_sink_text(text));
}

/* A function that is named after its file, and the end of its path that it
 * shows so far. */
struct named {
  uint32_t function;
  const char *end;
  uint32_t kind, part; /* of the name and the end before; of what was added */
};

/* Tells apart the functions that are named after different files of one name.
 * The end of each is empty at first, and grows while another one of the name
 * has it. */
static void
distinguish_files(struct frame_table *table)
{
  struct named *named = pool_zeroed(table->function_count, sizeof *named);
  size_t *sizes = pool_zeroed(table->function_count, sizeof *sizes);
  size_t count = 0;
  struct names parts;
  struct string_sink text;
  names_init(&parts);
  string_sink_init(&text);
  for (uint32_t f = 0; f < table->function_count; f++)
    if (*function_file(table, f) != '\0' && !table->functions[f].runtime &&
        is_named_after_file(function_name(table, f)))
      named[count++] =
          (struct named){.function = f,
                         .end = strchr(function_file(table, f), '\0'),
                         .kind = table->functions[f].name};
  while (count > 0) {
    struct index_map kinds = {0};
    size_t left = 0;
    memset(sizes, 0, count * sizeof *sizes);
    for (size_t i = 0; i < count; i++) {
      named[i].kind =
          index_map_number(&kinds, index_pair(named[i].kind, named[i].part));
      sizes[named[i].kind]++;
    }
    for (size_t i = 0; i < count; i++) {
      struct named *n = &named[i];
      const char *path = function_file(table, n->function);
      const char *longer = longer_end(path, n->end);
      if (sizes[n->kind] > 1 && longer < n->end) {
        char *part = pool_text_part(longer, (size_t)(n->end - longer));
        n->part = names_intern(&parts, part);
        pool_free(part);
        n->end = longer;
        named[left++] = *n;
      } else if (*n->end != '\0') {
        rename_function(table, n->function, n->end, &text);
      }
    }
    count = left;
    index_map_release(&kinds);
  }
}

/* ---- functions and frames ---- */

/* Returns the function called NAME in FILE (name ids); adds it when it is
 * new.  FILE and START_LINE fill gaps of one that is known: a function
 * without a line where it begins may be the part of it that is in another
 * file. */
static uint32_t
find_function(struct making *making, uint32_t name, uint32_t file,
              int64_t start_line)
{
  struct frame_table *table = making->table;
  struct function function = {
      .name = name,
      .file = file,
      .start_line = start_line,
      .runtime =
          strcmp(names_text(&table->names, file), PPROF_RUNTIME_FILE) == 0,
      .calls_known = true,
  };
  /* within which a name means one function: the runtime, or a file for one
   * that is named after it, or all else */
  uint32_t scope = function.runtime ? 1
                   : is_named_after_file(names_text(&table->names, name))
                       ? file + 2
                       : 0;
  uint32_t index = index_map_number(&making->known, index_pair(name, scope));
  if (index == table->function_count)
    return frame_table_add(table, function);
  struct function *known = &table->functions[index];
  if (known->file == 0 ||
      (known->start_line == 0 && start_line != 0 && file != 0)) {
    known->file = file;
    known->start_line = start_line;
  }
  return index;
}

static void
add_functions(struct making *making)
{
  const struct profile *profile = making->table->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *f = &profile->functions[i];
    uint32_t name = f->name != 0 ? f->name : f->system_name;
    uint32_t index = find_function(making, name, f->file, f->start_line);
    making->of_function[i] = index;
    if (f->name != 0 && f->name == f->system_name)
      making->table->functions[index].c = true;
    if (index_map_find(&profile->unknown_calls, name) != INDEX_NONE)
      making->table->functions[index].calls_known = false;
  }
}

/* Returns what stands for the function at LOCATION, of which none is known.
 */
static uint32_t
nameless_function(struct making *making,
                  const struct profile_location *location)
{
  const struct profile *profile = making->table->profile;
  char text[256];
  uint32_t file = location->mapping == INDEX_NONE
                      ? 0
                      : profile->mappings[location->mapping].file;
  if (file != 0) {
    const char *path = names_text(&profile->names, file);
    const char *slash = strrchr(path, '/');
    snprintf(text, sizeof text, "[%.200s]", slash == NULL ? path : slash + 1);
  } else {
    snprintf(text, sizeof text,
             location->address == 0 ? "[unknown]" : "0x%" PRIx64,
             location->address);
  }
  return find_function(making, names_intern(&making->table->names, text), 0,
                       0);
}

/* Adds the frames of LOCATION. */
static void
add_location(struct making *making, const struct profile_location *location)
{
  static const struct profile_line nothing = {.function = INDEX_NONE};
  struct frame_table *table = making->table;
  const struct profile *profile = table->profile;
  const size_t count = location->line_count == 0 ? 1 : location->line_count;
  for (size_t i = 0; i < count; i++) {
    const struct profile_line *line =
        location->line_count == 0 ? &nothing
                                  : &profile->lines[location->first_line + i];
    const bool known = line->function != INDEX_NONE;
    const uint32_t function = known ? making->of_function[line->function]
                                    : nameless_function(making, location);
    uint64_t *low = &table->functions[function].low_address;
    if (table->frame_count >= INDEX_NONE)
      fail_memory();
    ARRAY_PUSH(
        table->frames, table->frame_count, table->frame_capacity,
        (struct frame){.function = function,
                       .shown = function,
                       .line = line->line,
                       .file = known ? profile->functions[line->function].file
                                     : 0,
                       .address = location->address,
                       .inlined = i + 1 < count});
    if (location->address != 0 && (*low == 0 || location->address < *low))
      *low = location->address;
  }
  if (count > table->most_frames)
    table->most_frames = count;
}

void
frame_table_init(struct frame_table *table, const struct profile *profile)
{
  struct making making = {
      .table = table,
      .of_function = pool_zeroed(profile->function_count, sizeof(uint32_t))};
  *table = (struct frame_table){
      .profile = profile,
      .first_frames =
          pool_zeroed(profile->location_count + 1, sizeof(uint32_t))};
  names_extend(&table->names, &profile->names);
  add_functions(&making);
  distinguish_files(table);
  for (size_t i = 0; i < profile->location_count; i++) {
    add_location(&making, &profile->locations[i]);
    table->first_frames[i + 1] = (uint32_t)table->frame_count;
  }
}
