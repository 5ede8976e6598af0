/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locations without a function are sorted by mapping and place in the file,
 * so that functions get the same numbers from run to run.  At the end the
 * tree is gone through for what stands at the beginning of chains.
 */

#include "symbols/symbolize.h"

#include "common/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>

enum { TYPES_KEPT = 8 };

/* A location without a function. */
struct pending {
  uint32_t mapping; /* number, or INDEX_NONE */
  uint32_t location;
  uint64_t offset; /* in the file */
};

/* A type of the program. */
struct program_type {
  uint64_t size;
  const char *name;
};

/* What the beginning of a chain may be made of, by location. */
enum start_mark { START_NO, START_YES, START_IF_FIRST };

struct symbolizing {
  struct code_names *names;
  struct profile *profile;
  struct pending *pending;
  size_t pending_count;
  struct index_map functions; /* of the module in hand, by start */
  unsigned char *marks;       /* by location: enum start_mark */
  uint64_t *sizes;            /* of objects, ascending */
  size_t size_count;
  struct program_type *types; /* of these sizes */
  size_t type_count, type_capacity;
};

/* ---- what is to be done ----------------------------------------------- */

static int
compare_pending(const void *left, const void *right)
{
  const struct pending *a = left, *b = right;
  return array_order(a->mapping, b->mapping)
             ?: array_order(a->offset, b->offset)
             ?: array_order(a->location, b->location);
}

/* Lists the locations without a function of which something is known.
 * Returns false if all have one. */
static bool
list_pending(struct symbolizing *s)
{
  const struct profile *profile = s->profile;
  size_t capacity = 0, lacking = 0;
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *location = &profile->locations[i];
    struct pending p = {location->mapping, (uint32_t)i, 0};
    if (location->line_count != 0)
      continue;
    lacking++;
    if (p.mapping == INDEX_NONE && !profile->by_mprof)
      continue;
    if (p.mapping != INDEX_NONE) {
      const struct profile_mapping *m = &profile->mappings[p.mapping];
      p.offset = location->address - m->start + m->offset;
    }
    ARRAY_PUSH(s->pending, s->pending_count, capacity, p);
  }
  array_sort(s->pending, s->pending_count, sizeof *s->pending,
             compare_pending);
  return lacking > 0;
}

/* ---- types ------------------------------------------------------------ */

/* Lists the sizes that objects have. */
static void
list_sizes(struct symbolizing *s)
{
  const struct profile *profile = s->profile;
  s->sizes = pool_alloc(profile->label_rows.row_count * sizeof *s->sizes);
  for (size_t i = 0; i < profile->label_rows.row_count; i++)
    if (profile->labels[i].has_bytes && profile->labels[i].bytes > 0)
      s->sizes[s->size_count++] = profile->labels[i].bytes;
  array_sort(s->sizes, s->size_count, sizeof *s->sizes,
             array_compare_numbers);
}

/* Takes the types of MODULE that are of one of the sizes. */
static void
take_types(struct symbolizing *s, struct code_module *module)
{
  if (s->size_count == 0)
    return;
  const struct row_table *types = code_names_types(s->names, module);
  for (size_t i = 0; i < types->row_count; i++) {
    size_t two;
    const uint64_t *row = row_table_words(types, i, &two);
    if (bsearch(&row[0], s->sizes, s->size_count, sizeof *s->sizes,
                array_compare_numbers) != NULL)
      ARRAY_ADD(s, type,
                (struct program_type){
                    row[0], names_text(&s->names->names, (uint32_t)row[1])});
  }
}

static int
compare_types(const void *left, const void *right)
{
  const struct program_type *a = left, *b = right;
  return array_order(a->size, b->size) ?: strcmp(a->name, b->name);
}

static void
add_comment(struct symbolizing *s, const char *text)
{
  profile_add_comment_once(s->profile,
                           names_intern(&s->profile->names, text));
}

/* Writes the names of the types of each size, each once, at most TYPES_KEPT.
 */
static void
add_type_comments(struct symbolizing *s)
{
  char text[1024];
  size_t of_size = 0;
  array_sort(s->types, s->type_count, sizeof *s->types, compare_types);
  for (size_t i = 0; i < s->type_count; i++) {
    const struct program_type *type = &s->types[i];
    if (i > 0 && compare_types(type - 1, type) == 0)
      continue;
    of_size = i > 0 && type[-1].size == type->size ? of_size + 1 : 0;
    if (of_size > TYPES_KEPT)
      continue;
    snprintf(text, sizeof text, PPROF_COMMENT_TYPE "=%" PRIu64 " %s",
             type->size, of_size == TYPES_KEPT ? "..." : type->name);
    add_comment(s, text);
  }
}

/* ---- the tree --------------------------------------------------------- */

/* Returns the active function of LOCATION, which has one. */
static struct profile_function *
function_of(struct profile *profile, uint32_t location)
{
  const struct profile_location *l = &profile->locations[location];
  size_t line = l->first_line + l->line_count - 1;
  return &profile->functions[profile->lines[line].function];
}

/* Marks the functions at the beginning of chains as ones of the runtime. */
static void
mark_starts(struct symbolizing *s)
{
  struct profile *profile = s->profile;
  uint32_t runtime = names_intern(&profile->names, PPROF_RUNTIME_FILE);
  bool *starts = pool_zeroed(profile->tree.count, sizeof *starts);
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    uint32_t parent = profile->tree.nodes[i].parent;
    uint32_t location = profile->tree.nodes[i].item;
    starts[i] = (parent == TREE_ROOT || starts[parent]) &&
                s->marks[location] != START_NO;
    if (!starts[i] || s->marks[location] == START_YES)
      continue;
    s->marks[location] = START_YES;
    function_of(profile, location)->file = runtime;
  }
  pool_free(starts);
}

/* ---- one file --------------------------------------------------------- */

static void
set_flag(struct profile_mapping *mapping, enum pprof_mapping_field flag)
{
  mapping->flags |= 1u << (flag - PPROF_MAPPING_HAS_FUNCTIONS);
}

/* Returns whether PATH, of MAPPING, is in a folder of the system, whose types
 * are not the program's.  The program itself is not, wherever it is: it has
 * the first mapping, and more for more segments of code. */
static bool
is_of_system(const struct symbolizing *s, const char *path, uint32_t mapping)
{
  const struct profile_mapping *mappings = s->profile->mappings;
  return mappings[mapping].file != mappings[0].file &&
         (strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0);
}

/* Returns whether what the file at PATH has is no function of a Lisp program
 * but one of what runs it: ECL, its collector, libraries of the system.
 * Compiled Lisp is not, wherever it is. (What ECL allocates when it begins
 * has cl_boot.) */
static bool
runs_lisp(const struct symbolizing *s, const char *path, uint32_t mapping)
{
  const char *name = basename(path);
  const char *dot = strrchr(path, '.');
  if (!s->profile->by_mprof || s->profile->language != LANGUAGE_LISP ||
      (dot != NULL && strncmp(dot, ".fas", 4) == 0))
    return false;
  return is_of_system(s, path, mapping) || strcmp(name, "ecl") == 0 ||
         strncmp(name, "libecl.so", 9) == 0 ||
         strncmp(name, "libgc.so", 8) == 0 ||
         strncmp(name, "libmprof-", 9) == 0;
}

/* Gives the location of P, in MODULE, its functions. */
static void
resolve(struct symbolizing *s, struct code_module *module,
        const struct pending *p)
{
  struct profile *profile = s->profile;
  const struct profile_location *location = &profile->locations[p->location];
  const struct code_place place = code_names_add_lines(
      s->names, module, p->offset, profile, &s->functions, p->location);
  if (place.debugged)
    set_flag(&profile->mappings[p->mapping], PPROF_MAPPING_HAS_INLINE_FRAMES);
  for (uint32_t i = 0; i < location->line_count; i++)
    if (profile->lines[location->first_line + i].line != 0)
      set_flag(&profile->mappings[p->mapping],
               PPROF_MAPPING_HAS_LINE_NUMBERS);
  if (location->line_count == 0)
    return;
  struct profile_function *active = function_of(profile, p->location);
  if (runs_lisp(s, module->path, p->mapping) &&
      strcmp(profile_text(s->profile, active->name), "cl_boot") != 0)
    active->file = names_intern(&profile->names, PPROF_RUNTIME_FILE);
  if (strcmp(profile_text(s->profile, active->file), PPROF_RUNTIME_FILE) == 0)
    s->marks[p->location] = START_YES;
  else if (place.nameless && is_c_library(module->path))
    s->marks[p->location] = START_IF_FIRST;
}

/* Notes why nothing is known of MODULE if so. */
static void
note_outcome(struct symbolizing *s, const struct code_module *module,
             const char *build_id)
{
  if (module->outcome == CODE_FILE_GOOD)
    return;
  add_comment(
      s, pool_format(
             PPROF_COMMENT_SYMBOL_NOTE "=%s %s%s%s%s", module->path,
             module->outcome == CODE_FILE_CHANGED
                 ? "is not the file that ran (its build id differs), so its "
                   "names are not used"
                 : "cannot be read, so its functions have no names",
             *build_id != '\0' ? " (it had the build id " : "", build_id,
             *build_id != '\0' ? ")" : ""));
}

/* Notes which allocator beside malloc MODULE has, if that is not counted. */
static void
note_allocator(struct symbolizing *s, const struct code_module *module)
{
  const char *name = module->symbols.second_malloc;
  for (size_t i = 0; name != NULL && i < s->profile->comment_count; i++) {
    const char *counted =
        profile_comment_value(s->profile, i, PPROF_COMMENT_COUNTED);
    if (counted != NULL && strcmp(counted, name) == 0)
      name = NULL;
  }
  if (name != NULL)
    add_comment(s, pool_format(PPROF_COMMENT_ALLOCATOR_NOTE "=%s in %s", name,
                               module->path));
}

/* Returns the file of the mapping NUMBER, and takes its types. */
static struct code_module *
begin_module(struct symbolizing *s, uint32_t number)
{
  struct profile_mapping *mapping = &s->profile->mappings[number];
  const char *path = profile_text(s->profile, mapping->file);
  const char *id = profile_text(s->profile, mapping->build_id);
  const bool known = s->profile->by_mprof || *id != '\0';
  const bool any = path[0] == '/' && (known || s->profile->addresses_alone);
  struct code_module *module = code_names_module(s->names, path,
                                                 !any    ? NULL
                                                 : known ? id
                                                         : CODE_ANY_BUILD);
  module->code_offset = mapping->offset;
  note_outcome(s, module, id);
  if (!any || module->outcome != CODE_FILE_GOOD)
    return module;
  if (s->profile->by_mprof && s->profile->language == LANGUAGE_C)
    note_allocator(s, module);
  set_flag(mapping, PPROF_MAPPING_HAS_FUNCTIONS);
  set_flag(mapping, PPROF_MAPPING_HAS_FILENAMES);
  if (!is_of_system(s, module->path, number) &&
      !runs_lisp(s, module->path, number))
    take_types(s, module);
  return module;
}

/* ---- the whole -------------------------------------------------------- */

/* Resolves all.  A profile by mprof has a location without a mapping and an
 * address for what was over the budget. */
static void
resolve_all(struct symbolizing *s)
{
  struct profile *profile = s->profile;
  struct code_module *module = NULL;
  for (size_t i = 0; i < s->pending_count; i++) {
    const struct pending *p = &s->pending[i];
    if (p->mapping == INDEX_NONE) {
      const struct profile_function function = {
          .name = names_intern(&profile->names,
                               profile->locations[p->location].address == 0
                                   ? "[over the budget]"
                                   : "[generated code]")};
      profile_add_line(profile, p->location,
                       (struct profile_line){
                           profile_add_function(profile, function), 0, 0});
      continue;
    }
    if (i == 0 || p[-1].mapping != p->mapping) {
      module = begin_module(s, p->mapping);
      index_map_release(&s->functions);
    }
    resolve(s, module, p);
  }
}

void
symbolize(struct code_names *names, struct profile *profile)
{
  struct symbolizing s = {.names = names, .profile = profile};
  if (!list_pending(&s))
    return;
  s.marks = pool_zeroed(profile->location_count, sizeof *s.marks);
  list_sizes(&s);
  resolve_all(&s);
  mark_starts(&s);
  add_type_comments(&s);
  pool_free(s.pending);
  pool_free(s.marks);
  pool_free(s.sizes);
  index_map_release(&s.functions);
}
