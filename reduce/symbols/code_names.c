/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens the files of code that addresses are in, and keeps a few of them
 * open; finds the functions, lines and types of addresses. */

#include "symbols/code_names.h"

#include "common/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_OPEN = 64 };

/* ---- files ------------------------------------------------------------- */

static void
release_pool(void *pool)
{
  pool_release(pool);
}

void
code_names_release(struct code_names *names)
{
  struct pool *pool = names->pool;
  pool_release(pool);
  *names = (struct code_names){.pool = pool, .deleted = names->deleted};
}

static void
close_oldest(struct code_names *names)
{
  struct code_module *oldest = NULL;
  for (size_t i = 0; i < names->module_count; i++) {
    struct code_module *module = names->modules[i];
    if (module->file.module != NULL &&
        (oldest == NULL || module->last_use < oldest->last_use))
      oldest = module;
  }
  pool_release(&oldest->pool);
  oldest->file = (struct code_file){0};
  names->open_count--;
}

/* Returns whether PATH is what Linux calls a file that was deleted. */
static bool
is_deleted(const char *path)
{
  static const char mark[] = " (deleted)";
  const size_t length = strlen(path), end = sizeof mark - 1;
  return length > end && strcmp(path + length - end, mark) == 0;
}

/* Opens the file of MODULE, unless it is open or cannot be opened. */
static void
open_module(struct code_names *names, struct code_module *module)
{
  module->last_use = names->uses++;
  if (module->file.module != NULL || module->build_id == NULL ||
      module->outcome != CODE_FILE_GOOD)
    return;
  if (names->open_count == MOST_OPEN)
    close_oldest(names);
  struct pool *before = pool_use(&module->pool);
  module->outcome =
      code_file_open(&module->file, module->path, module->build_id);
  if (module->outcome == CODE_FILE_UNREADABLE &&
      strstr(module->path, "\\x") != NULL)
    module->outcome = code_file_open(&module->file, names_bytes(module->path),
                                     module->build_id);
  if (module->outcome != CODE_FILE_GOOD && names->deleted != NULL &&
      module->build_id[0] != '\0' && is_deleted(module->path))
    module->outcome =
        code_file_open(&module->file, names->deleted, module->build_id);
  if (module->outcome == CODE_FILE_GOOD) {
    function_symbols_init(&module->symbols, &module->file);
    module->sources_read = false;
    names->open_count++;
  }
  pool_use(before);
}

struct code_module *
code_names_module(struct code_names *names, const char *path,
                  const char *build_id)
{
  struct pool *before = pool_use(names->pool);
  if (names->names.count == 0)
    names_init(&names->names);
  const uint32_t file = names_intern(&names->names, path);
  const uint32_t id =
      build_id == NULL ? NAMES_NONE : names_intern(&names->names, build_id);
  const uint32_t number =
      index_map_number(&names->by_key, index_pair(file, id));
  if (number == names->module_count) {
    struct code_module *module = pool_zeroed(1, sizeof *module);
    pool_on_release(release_pool, &module->pool);
    module->path = names_text(&names->names, file);
    if (build_id != NULL)
      module->build_id = names_text(&names->names, id);
    ARRAY_ADD(names, module, module);
    open_module(names, module);
  }
  pool_use(before);
  return names->modules[number];
}

/* ---- functions --------------------------------------------------------- */

bool
code_names_function(struct code_names *names, struct code_module *module,
                    uint64_t offset, uint64_t *address,
                    struct function_found *found)
{
  open_module(names, module);
  *found = (struct function_found){offset, NULL};
  if (module->file.module == NULL ||
      !code_file_address(&module->file, module->code_offset, offset, address))
    return false;
  if (!function_symbols_find(&module->symbols, *address, found))
    found->start = *address;
  return true;
}

/* Returns the function of MODULE that SYMBOL names, called NAME if that is
 * NULL, which stands in the source as SOURCE says. */
static struct profile_function
function_named(struct code_names *names, const struct code_module *module,
               const char *symbol, const char *name,
               const struct source_function *source)
{
  char *readable = symbol == NULL ? NULL : function_name_of_symbol(symbol);
  const char *file = source->file == NULL ? "" : source->file;
  const bool start_up = is_start_up_function(symbol, module->path);
  const struct profile_function function = {
      .name = names_intern(&names->names, readable != NULL ? readable : name),
      .system_name =
          names_intern(&names->names, symbol != NULL ? symbol : name),
      .file =
          names_intern(&names->names, start_up ? PPROF_RUNTIME_FILE : file),
      .start_line = start_up ? 0 : source->start_line,
  };
  pool_free(readable);
  return function;
}

/* Returns the active function FOUND of MODULE. */
static struct profile_function
active_function(struct code_names *names, const struct code_module *module,
                const struct function_found *found,
                const struct source_function *source)
{
  char text[PATH_MAX];
  const char *symbol = found->name;
  if (symbol == NULL && module->file.module != NULL &&
      found->start == module->file.entry)
    symbol = "_start";
  snprintf(text, sizeof text, "[%s+0x%" PRIx64 "]", basename(module->path),
           found->start);
  return function_named(names, module, symbol, text, source);
}

/* Returns the function SOURCE, inlined in MODULE.  A lambda, whose name the
 * debug information leaves out, is told apart by its place. */
static struct profile_function
inlined_function(struct code_names *names, const struct code_module *module,
                 const struct source_function *source)
{
  char text[PATH_MAX];
  struct function_found found;
  const char *name = source->name == NULL ? "[inlined]" : source->name;
  if (source->start == 0 ||
      !function_symbols_find(&module->symbols, source->start, &found) ||
      found.start != source->start || found.name == NULL)
    found.name = source->symbol;
  snprintf(text, sizeof text, "%s", name);
  if (strcmp(name, "operator()") == 0 && source->file != NULL)
    snprintf(text, sizeof text, "%s [%s:%" PRId64 "]", name,
             basename(source->file), source->start_line);
  return function_named(names, module, found.name, text, source);
}

/* ---- places ------------------------------------------------------------ */

/* Fills SOURCE for ADDRESS in the file of MODULE, which is open.  Returns
 * whether that has information for debugging. */
static bool
find_source(struct code_module *module, uint64_t address,
            struct source_place *source)
{
  struct pool *before = pool_use(&module->pool);
  if (!module->sources_read)
    module->sources = source_places_of(code_file_information(&module->file));
  module->sources_read = true;
  source_places_find(&module->sources, address, source);
  pool_use(before);
  return module->sources.units != NULL;
}

/* Returns the place OFFSET bytes into the file MODULE, which is looked up if
 * it is new.  Lines of start-up functions are not: no user needs these, and
 * most programs call no other functions of the C library, so its debug
 * information need not be read. */
static struct code_place
find_place(struct code_names *names, struct code_module *module,
           uint64_t offset)
{
  struct source_place source;
  struct function_found found;
  uint64_t address;
  if (module->place_code != module->code_offset) {
    index_map_release(&module->by_offset);
    module->place_count = module->line_count = 0;
    module->place_code = module->code_offset;
  }
  const uint32_t number = index_map_number(&module->by_offset, offset);
  if (number < module->place_count)
    return module->places[number];
  struct code_place place = {.first_line = module->line_count};
  place.known = code_names_function(names, module, offset, &address, &found);
  place.start = found.start;
  place.nameless = found.name == NULL;
  source.count = 0;
  source.functions[0] = (struct source_function){0}; /* nothing is known */
  if (place.known && !is_start_up_function(found.name, module->path))
    place.debugged = find_source(module, address, &source);
  place.line_count = source.count > 0 ? source.count : 1;
  for (size_t i = 0; i < place.line_count; i++) {
    const struct source_function *at = &source.functions[i];
    const struct code_line line = {
        .function = i > 0 ? inlined_function(names, module, at)
                          : active_function(names, module, &found, at),
        .line_file = names_intern(&names->names,
                                  at->line_file == NULL ? "" : at->line_file),
        .line = at->line};
    ARRAY_ADD(module, line, line);
  }
  ARRAY_ADD(module, place, place);
  return place;
}

/* Returns the number in PROFILE of FUNCTION, which is in FROM's names. */
static uint32_t
add_function(struct profile *profile, const struct names *from,
             struct profile_function function)
{
  struct names *to = &profile->names;
  function.name = names_intern(to, names_text(from, function.name));
  function.system_name =
      names_intern(to, names_text(from, function.system_name));
  function.file = names_intern(to, names_text(from, function.file));
  return profile_add_function(profile, function);
}

/* Returns the number that stands for the function NUMBER at a line of FILE:
 * another one, without the line where the function begins, if it is in
 * another file.  A line of a profile has the file of its function. */
static uint32_t
function_at_line(struct profile *profile, uint32_t number, const char *file)
{
  struct profile_function function = profile->functions[number];
  const char *own = profile_text(profile, function.file);
  if (strcmp(own, file) == 0 || strcmp(own, PPROF_RUNTIME_FILE) == 0)
    return number;
  function.file = names_intern(&profile->names, file);
  function.start_line = 0;
  return profile_add_function(profile, function);
}

struct code_place
code_names_add_lines(struct code_names *names, struct code_module *module,
                     uint64_t offset, struct profile *profile,
                     struct index_map *functions, uint32_t location)
{
  struct pool *before = pool_use(names->pool);
  const struct code_place place = find_place(names, module, offset);
  pool_use(before);
  if (!place.known && !profile->by_mprof)
    return place;
  for (size_t i = place.line_count; i-- > 0;) {
    const struct code_line *line = &module->lines[place.first_line + i];
    uint32_t number =
        i > 0 ? INDEX_NONE : index_map_find(functions, place.start);
    if (number == INDEX_NONE) {
      number = add_function(profile, &names->names, line->function);
      if (i == 0)
        index_map_add(functions, place.start, number);
    }
    if (line->line != 0 && line->line_file != 0)
      number = function_at_line(profile, number,
                                names_text(&names->names, line->line_file));
    profile_add_line(profile, location,
                     (struct profile_line){number, line->line, 0});
  }
  return place;
}

/* ---- types ------------------------------------------------------------- */

const struct row_table *
code_names_types(struct code_names *names, struct code_module *module)
{
  struct pool *before = pool_use(names->pool);
  if (!module->types_read) {
    module->types_read = true;
    open_module(names, module);
    program_types_read(&module->types, &names->names,
                       code_file_information(&module->file));
  }
  pool_use(before);
  return &module->types;
}
