/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions first, in the order of the profile, then the locations. */

#include "analysis/frames.h"

#include "analysis/file_names.h"
#include "base/array.h"
#include "common/pprof_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct making {
  struct frame_table *table;
  const struct profile *profile;
  struct index_map known; /* by name and scope */
  uint32_t *of_function;  /* function of the profile -> ours */
};

void
frame_table_release(struct frame_table *table)
{
  names_release(&table->names);
  free(table->functions);
  free(table->frames);
  free(table->first_frames);
  memset(table, 0, sizeof *table);
}

uint32_t
frame_table_add(struct frame_table *table, struct function function)
{
  struct function *functions =
      array_reserve(table->functions, &table->function_capacity,
                    table->function_count + 1, sizeof *functions);
  if (functions == NULL || table->function_count >= INDEX_NONE)
    return INDEX_NONE;
  table->functions = functions;
  functions[table->function_count] = function;
  return (uint32_t)table->function_count++;
}

/* Within which a name means one function: the runtime, or a file for one that
 * is named after it, or all else. */
static uint32_t
scope_of(const struct frame_table *table, const struct function *function)
{
  if (function->runtime)
    return 1;
  const char *name = names_text(&table->names, function->name);
  return is_named_after_file(name) ? function->file + 2 : 0;
}

/* The function called NAME, added when new; FILE and START_LINE fill gaps of
 * one that is known. */
static uint32_t
find_function(struct making *making, const char *name, const char *file,
              int64_t start_line)
{
  struct frame_table *table = making->table;
  struct function function = {
      .name = names_intern(&table->names, name),
      .file = names_intern(&table->names, file),
      .start_line = start_line,
      .runtime = strcmp(file, PPROF_RUNTIME_FILE) == 0,
      .calls_known = true,
  };
  if (function.name == NAMES_NONE || function.file == NAMES_NONE)
    return INDEX_NONE;
  uint64_t key = index_pair(function.name, scope_of(table, &function));
  uint32_t index = index_map_find(&making->known, key);
  if (index != INDEX_NONE) {
    struct function *known = &table->functions[index];
    if (known->file == 0) {
      known->file = function.file;
      known->start_line = start_line;
    }
    return index;
  }
  index = frame_table_add(table, function);
  return index != INDEX_NONE && index_map_add(&making->known, key, index)
             ? index
             : INDEX_NONE;
}

static bool
add_functions(struct making *making)
{
  const struct profile *profile = making->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *f = &profile->functions[i];
    uint32_t name = f->name != 0 ? f->name : f->system_name;
    uint32_t index =
        find_function(making, names_text(&profile->names, name),
                      names_text(&profile->names, f->file), f->start_line);
    if (index == INDEX_NONE)
      return false;
    making->of_function[i] = index;
    if (f->name != 0 && f->name == f->system_name)
      making->table->functions[index].c = true;
    if (!profile_calls_known(profile, name))
      making->table->functions[index].calls_known = false;
  }
  return true;
}

/* What stands for the function at LOCATION, of which none is known. */
static uint32_t
nameless_function(struct making *making,
                  const struct profile_location *location)
{
  const struct profile *profile = making->profile;
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
  return find_function(making, text, "", 0);
}

static bool
add_frame(struct making *making, uint32_t function, int64_t line,
          uint64_t address)
{
  struct frame_table *table = making->table;
  struct frame *frames =
      array_reserve(table->frames, &table->frame_capacity,
                    table->frame_count + 1, sizeof *frames);
  if (frames == NULL || table->frame_count >= INDEX_NONE ||
      function == INDEX_NONE)
    return false;
  table->frames = frames;
  frames[table->frame_count++] =
      (struct frame){function, function, line, address};
  uint64_t *low = &table->functions[function].low_address;
  if (address != 0 && (*low == 0 || address < *low))
    *low = address;
  return true;
}

static bool
add_location(struct making *making, const struct profile_location *location)
{
  if (location->line_count == 0)
    return add_frame(making,
                     nameless_function(making, location), 0,
                     location->address);
  for (size_t i = location->cut_lines; i < location->line_count; i++) {
    const struct profile_line *line =
        &making->profile->lines[location->first_line + i];
    uint32_t function = line->function == INDEX_NONE
                            ? nameless_function(making, location)
                            : making->of_function[line->function];
    if (!add_frame(making, function, line->line, location->address))
      return false;
  }
  return true;
}

static bool
add_locations(struct making *making)
{
  const struct profile *profile = making->profile;
  struct frame_table *table = making->table;
  for (size_t i = 0; i < profile->location_count; i++) {
    table->first_frames[i] = (uint32_t)table->frame_count;
    if (!add_location(making, &profile->locations[i]))
      return false;
  }
  table->first_frames[profile->location_count] = (uint32_t)table->frame_count;
  return true;
}

bool
frame_table_init(struct frame_table *table, const struct profile *profile)
{
  struct making making = {.table = table, .profile = profile};
  memset(table, 0, sizeof *table);
  table->profile = profile;
  table->first_frames = array_zeroed(profile->location_count + 1,
                                     sizeof *table->first_frames);
  making.of_function =
      array_zeroed(profile->function_count, sizeof *making.of_function);
  bool good = names_init(&table->names) && table->first_frames != NULL &&
              making.of_function != NULL && add_functions(&making) &&
              file_names_distinguish(table) && add_locations(&making);
  free(making.of_function);
  index_map_release(&making.known);
  return good;
}
