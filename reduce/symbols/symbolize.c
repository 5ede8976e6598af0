/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locations without a function are sorted by mapping and place in the file,
 * so that each file is open once and each function found once.  The samples
 * are gone through before, for the sizes of objects, and after, for what
 * stands at the beginning of chains.
 */

#include "symbols/symbolize.h"

#include "profile/array.h"
#include "profile/index_map.h"
#include "profile/wire_sample.h"
#include "profile/wire_scan.h"
#include "symbols/code_file.h"
#include "symbols/function_names.h"
#include "symbols/function_symbols.h"
#include "symbols/message_growth.h"
#include "symbols/program_types.h"
#include "symbols/source_places.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_SAMPLE = 2, TYPES_KEPT = 8, NO_MAPPING = UINT32_MAX };

/* A location that has no function. */
struct pending {
  uint32_t mapping; /* number, or NO_MAPPING */
  uint32_t location;
  uint64_t offset; /* in the file */
};

/* What the beginning of a chain may be made of, by location. */
enum start_mark { START_NO, START_YES, START_IF_FIRST };

struct symbolizing {
  Mprof__Pprof__Profile *message;
  const struct input_file *file;
  struct message_growth growth;
  struct index_map location_ids;
  struct pending *pending;
  size_t pending_count;
  Mprof__Pprof__Function **functions; /* by location, those found here */
  unsigned char *marks;               /* by location: enum start_mark */
  struct program_types types;
  bool by_mprof;
};

/* The string INDEX of the message, "" when there is none. */
static const char *
text_of(const struct symbolizing *s, int64_t index)
{
  return index < 0 || (uint64_t)index >= s->message->n_string_table
             ? ""
             : s->message->string_table[index];
}

static const char *
base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* ---- what is to be done ----------------------------------------------- */

static int
compare_pending(const void *left, const void *right)
{
  const struct pending *a = left;
  const struct pending *b = right;
  if (a->mapping != b->mapping)
    return a->mapping < b->mapping ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a->location < b->location ? -1 : a->location > b->location;
}

/* Lists the locations without a line.  Of ids that are used twice, which the
 * reader reports, the first counts here. */
static bool
list_pending(struct symbolizing *s)
{
  const Mprof__Pprof__Profile *message = s->message;
  struct index_map mappings;
  bool good = true;
  index_map_init(&mappings);
  for (size_t i = 0; good && i < message->n_mapping && i < NO_MAPPING; i++)
    good = index_map_find(&mappings, message->mapping[i]->id) != INDEX_NONE ||
           index_map_add(&mappings, message->mapping[i]->id, (uint32_t)i);
  for (size_t i = 0; good && i < message->n_location; i++) {
    const Mprof__Pprof__Location *location = message->location[i];
    uint32_t mapping = index_map_find(&mappings, location->mapping_id);
    if (location->n_line != 0 || (mapping == INDEX_NONE && !s->by_mprof))
      continue;
    struct pending *p = &s->pending[s->pending_count++];
    *p = (struct pending){NO_MAPPING, (uint32_t)i, 0};
    if (mapping != INDEX_NONE) {
      const Mprof__Pprof__Mapping *m = message->mapping[mapping];
      p->mapping = mapping;
      p->offset = location->address - m->memory_start + m->file_offset;
    }
  }
  array_sort(s->pending, s->pending_count, sizeof *s->pending,
             compare_pending);
  index_map_release(&mappings);
  return good;
}

/* ---- samples ---------------------------------------------------------- */

/* Calls VISIT for each sample until it gives back false. */
static bool
each_sample(struct symbolizing *s,
            bool (*visit)(struct symbolizing *, void *,
                          const struct wire_sample *),
            void *closure)
{
  const struct input_file *file = s->file;
  struct wire_sample sample = {0};
  const uint8_t *data;
  size_t at = 0;
  size_t size;
  bool good = true;
  while (good && (data = wire_next(file->data, file->length, FIELD_SAMPLE,
                                   &at, &size)) != NULL)
    good =
        wire_sample_decode(&sample, data, size) && visit(s, closure, &sample);
  wire_sample_release(&sample);
  return good;
}

/* Sizes of objects, each once. */
struct sizes {
  uint64_t *items;
  size_t count, capacity;
  struct index_map known;
};

static bool
add_size(struct symbolizing *s, void *closure,
         const struct wire_sample *sample)
{
  struct sizes *sizes = closure;
  for (size_t i = 0; i < sample->label_count; i++) {
    const struct wire_label *label = &sample->labels[i];
    uint64_t size = (uint64_t)label->number;
    if (label->text != 0 || label->number <= 0 ||
        strcmp(text_of(s, label->key), "bytes") != 0 ||
        index_map_find(&sizes->known, size) != INDEX_NONE)
      continue;
    uint64_t *items = array_reserve(sizes->items, &sizes->capacity,
                                    sizes->count + 1, sizeof *items);
    if (items == NULL || !index_map_add(&sizes->known, size, 0)) {
      sizes->items = items == NULL ? sizes->items : items;
      return false;
    }
    sizes->items = items;
    items[sizes->count++] = size;
  }
  return true;
}

static bool
want_types(struct symbolizing *s)
{
  struct sizes sizes = {0};
  index_map_init(&sizes.known);
  bool good = each_sample(s, add_size, &sizes);
  index_map_release(&sizes.known);
  return program_types_init(&s->types, sizes.items, sizes.count) && good;
}

/* The number of the location ID, INDEX_NONE when there is none. */
static uint32_t
location_of(const struct symbolizing *s, uint64_t id)
{
  const Mprof__Pprof__Profile *message = s->message;
  if (id - 1 < message->n_location && message->location[id - 1]->id == id)
    return (uint32_t)(id - 1);
  return index_map_find(&s->location_ids, id);
}

static bool
mark_function(struct symbolizing *s, Mprof__Pprof__Function *function)
{
  return message_add_string(&s->growth, "[runtime]", &function->filename);
}

/* Marks the functions at the beginning of SAMPLE's chain. */
static bool
mark_start(struct symbolizing *s, void *closure,
           const struct wire_sample *sample)
{
  (void)closure;
  for (size_t i = sample->location_count; i-- > 0;) {
    uint32_t location = location_of(s, sample->locations[i]);
    if (location == INDEX_NONE || s->marks[location] == START_NO)
      return true;
    if (s->marks[location] == START_YES)
      continue;
    s->marks[location] = START_YES;
    if (!mark_function(s, s->functions[location]))
      return false;
  }
  return true;
}

static bool
mark_starts(struct symbolizing *s)
{
  const Mprof__Pprof__Profile *message = s->message;
  for (size_t i = 0; i < message->n_location; i++) {
    uint64_t id = message->location[i]->id;
    if (location_of(s, id) == INDEX_NONE && i < INDEX_NONE &&
        !index_map_add(&s->location_ids, id, (uint32_t)i))
      return false;
  }
  return each_sample(s, mark_start, NULL);
}

/* ---- one file --------------------------------------------------------- */

/* A file that locations are in. */
struct module {
  const char *path;
  const char *build_id;
  Mprof__Pprof__Mapping *mapping;
  bool c_library;
  struct code_file file;
  struct function_symbols symbols;
  struct source_places places;
  uint64_t last_start; /* the function that was found last */
  Mprof__Pprof__Function *last;
};

/* Adds the function FOUND, of which PLACE tells the source, and sets
 * *FUNCTION to it. */
static bool
add_function(struct symbolizing *s, struct module *module,
             const struct function_found *found,
             const struct source_place *place)
{
  char text[PATH_MAX];
  char *name = NULL;
  snprintf(text, sizeof text, "[%s+0x%" PRIx64 "]", base_name(module->path),
           found->start);
  bool entry = found->name == NULL && module->file.elf != NULL &&
               found->start == code_file_entry(&module->file);
  if (found->name != NULL || entry) {
    name = function_name_of_symbol(entry ? "_start" : found->name);
    if (name == NULL)
      return false;
  }
  const char *file = place->file == NULL ? "" : place->file;
  bool start_up = name != NULL && is_start_up_function(name, module->path);
  module->last = message_add_function(
      &s->growth, name != NULL ? name : text,
      found->name != NULL ? found->name : text, start_up ? "[runtime]" : file,
      start_up ? 0 : place->start_line);
  module->last_start = found->start;
  free(name);
  return module->last != NULL;
}

/* Gives the location of P, in MODULE, its function. */
static bool
resolve(struct symbolizing *s, struct module *module, const struct pending *p)
{
  Mprof__Pprof__Location *location = s->message->location[p->location];
  struct function_found found = {p->offset, NULL};
  struct source_place place = {0};
  uint64_t address;
  if (module->file.elf != NULL &&
      code_file_address(&module->file, p->offset, &address)) {
    if (!source_places_find(&module->places, address, &place))
      return false;
    if (!function_symbols_find(&module->symbols, address, &found))
      found.start = address;
  } else if (!s->by_mprof) {
    return true;
  }
  if ((module->last == NULL || module->last_start != found.start) &&
      !add_function(s, module, &found, &place))
    return false;
  s->functions[p->location] = module->last;
  if (strcmp(text_of(s, module->last->filename), "[runtime]") == 0)
    s->marks[p->location] = START_YES;
  else if (found.name == NULL && module->c_library)
    s->marks[p->location] = START_IF_FIRST;
  if (place.line != 0)
    module->mapping->has_line_numbers = true;
  return message_set_line(location, module->last, place.line);
}

/* Notes that nothing is known of MODULE, whose file is as OUTCOME says. */
static bool
note_outcome(struct symbolizing *s, const struct module *module,
             enum code_file_outcome outcome)
{
  char text[PATH_MAX + 128];
  if (outcome == CODE_FILE_GOOD || module->path[0] != '/' ||
      (!s->by_mprof && *module->build_id == '\0'))
    return true;
  snprintf(text, sizeof text, "mprof.symbol_note=%s %s", module->path,
           outcome == CODE_FILE_CHANGED
               ? "is not the file that ran (it has another build id): no "
                 "names are taken from it"
               : "cannot be read: its functions have no names");
  return message_add_comment(&s->growth, text);
}

/* Whether PATH is in a folder of the system, whose types are not the
 * program's. */
static bool
is_system_library(const char *path)
{
  return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0;
}

static bool
read_types(struct symbolizing *s, const struct module *module, bool program)
{
  return (!program && is_system_library(module->path)) ||
         program_types_read(&s->types,
                            code_file_debug_information(&module->file));
}

/* Resolves the COUNT locations at P, all in one mapping. */
static bool
resolve_module(struct symbolizing *s, const struct pending *p, size_t count)
{
  Mprof__Pprof__Mapping *mapping = s->message->mapping[p->mapping];
  struct module module = {.mapping = mapping};
  module.path = text_of(s, mapping->filename);
  module.build_id = text_of(s, mapping->build_id);
  module.c_library = is_c_library(module.path);
  enum code_file_outcome outcome =
      module.path[0] == '/' && (s->by_mprof || *module.build_id != '\0')
          ? code_file_open(&module.file, module.path, module.build_id)
          : CODE_FILE_UNREADABLE;
  bool good = true;
  if (outcome == CODE_FILE_GOOD) {
    mapping->has_functions = mapping->has_filenames = true;
    good = function_symbols_init(&module.symbols, &module.file) &&
           source_places_init(&module.places,
                              code_file_debug_information(&module.file)) &&
           read_types(s, &module, p->mapping == 0);
  }
  for (size_t i = 0; good && i < count; i++)
    good = resolve(s, &module, &p[i]);
  good = good && note_outcome(s, &module, outcome);
  source_places_release(&module.places);
  function_symbols_release(&module.symbols);
  code_file_release(&module.file);
  return good;
}

/* Resolves the COUNT locations at P, which are in no file: a profile by mprof
 * has one without an address for what was over the budget. */
static bool
resolve_strays(struct symbolizing *s, const struct pending *p, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    Mprof__Pprof__Location *location = s->message->location[p[i].location];
    Mprof__Pprof__Function *function = message_add_function(
        &s->growth,
        location->address == 0 ? "[over the budget]" : "[generated code]", "",
        "", 0);
    if (function == NULL || !message_set_line(location, function, 0))
      return false;
  }
  return true;
}

/* ---- the whole -------------------------------------------------------- */

/* Writes the names of the types of each size, at most TYPES_KEPT. */
static bool
add_type_comments(struct symbolizing *s)
{
  const struct program_types *types = &s->types;
  char text[1024];
  size_t of_size = 0;
  program_types_sort(&s->types);
  for (size_t i = 0; i < types->count; i++) {
    const struct program_type *type = &types->types[i];
    of_size =
        i > 0 && types->types[i - 1].size == type->size ? of_size + 1 : 0;
    if (of_size > TYPES_KEPT)
      continue;
    snprintf(text, sizeof text, "mprof.type=%" PRIu64 " %s", type->size,
             of_size == TYPES_KEPT ? "..." : type->name);
    if (!message_add_comment(&s->growth, text))
      return false;
  }
  return true;
}

static bool
resolve_all(struct symbolizing *s)
{
  size_t count;
  for (size_t i = 0; i < s->pending_count; i += count) {
    const struct pending *p = &s->pending[i];
    count = 1;
    while (i + count < s->pending_count && p[count].mapping == p->mapping)
      count++;
    if (!(p->mapping == NO_MAPPING ? resolve_strays(s, p, count)
                                   : resolve_module(s, p, count)))
      return false;
  }
  return true;
}

static bool
is_by_mprof(const struct symbolizing *s)
{
  for (size_t i = 0; i < s->message->n_comment; i++)
    if (strncmp(text_of(s, s->message->comment[i]), "mprof.version=", 14) ==
        0)
      return true;
  return false;
}

bool
symbolize(Mprof__Pprof__Profile *message, const struct input_file *file,
          struct mprof_error *error)
{
  struct symbolizing s = {.message = message, .file = file};
  size_t lacking = 0;
  for (size_t i = 0; i < message->n_location; i++)
    lacking += message->location[i]->n_line == 0;
  if (lacking == 0 || message->n_string_table == 0 ||
      message->n_location >= INDEX_NONE)
    return true;
  s.by_mprof = is_by_mprof(&s);
  s.pending = array_zeroed(lacking, sizeof *s.pending);
  s.functions = array_zeroed(message->n_location, sizeof *s.functions);
  s.marks = array_zeroed(message->n_location, sizeof *s.marks);
  index_map_init(&s.location_ids);
  bool good = s.pending != NULL && s.functions != NULL && s.marks != NULL &&
              message_growth_init(&s.growth, message) && list_pending(&s) &&
              want_types(&s) && resolve_all(&s) && mark_starts(&s) &&
              add_type_comments(&s);
  program_types_release(&s.types);
  message_growth_release(&s.growth);
  index_map_release(&s.location_ids);
  free(s.pending);
  free(s.functions);
  free(s.marks);
  return good || mprof_error_memory(error);
}
