/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * location_writer.c -- a function is written before the first location that
 * needs it, and is numbered then; its line is looked for once.
 *
 * Not done here: which sites there are (sample_writer).
 */
#include "write/location_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tree/context_tree.h"
#include "profile.pb-c.h"
#include "code/sites.h"
#include "tree/sizes.h"
#include "names/source_line.h"

static void
put_function(struct profile_output *output, uint64_t id,
             const struct code_function *f, int64_t start_line)
{
  Mprof__Pprof__Function entry = MPROF__PPROF__FUNCTION__INIT;
  entry.id = id;
  entry.name = profile_output_string(output, f->name);
  entry.system_name = profile_output_string(output, f->system_name);
  if (f->runtime)
    entry.filename = profile_output_string(output, "[runtime]");
  else if (f->file != NULL)
    entry.filename = profile_output_string(output, f->file);
  entry.start_line = start_line;
  profile_output_message(output, 5, &entry.base);
}

static void
put_location(struct profile_output *output, uint64_t id, uint64_t site,
             uint64_t function, int64_t start_line)
{
  Mprof__Pprof__Location location = MPROF__PPROF__LOCATION__INIT;
  Mprof__Pprof__Line line = MPROF__PPROF__LINE__INIT, *lines = &line;
  line.function_id = function;
  line.line = start_line;
  location.id = id;
  if ((site & (SITE_OBJECT | SITE_RETIRED | SITE_SPECIAL)) == 0)
    location.address = site & ~SITE_PASSING;
  location.n_line = 1;
  location.line = &lines;
  profile_output_message(output, 4, &location.base);
}

/* The functions that have been written. */
struct functions {
  struct number_map numbers; /* function number -> number in the profile */
  int64_t *lines;            /* of the latter, less one: where it begins */
  size_t room;
};

/* Room for the line of one more function. */
static bool
reserve_line(struct functions *functions)
{
  size_t room = functions->room * 2 + SIZE_FIRST_ROOM;
  int64_t *bigger;
  if (functions->numbers.count < functions->room)
    return true;
  bigger = realloc(functions->lines, room * sizeof *bigger);
  if (bigger == NULL)
    return false;
  functions->lines = bigger;
  functions->room = room;
  return true;
}

void
location_writer_put(struct profile_output *output,
                    const struct number_map *locations)
{
  struct functions functions = { 0 };
  struct source_text source = { 0 };
  for (uint64_t id = 1; id <= locations->count && output->failed == 0; id++) {
    uint64_t site = locations->keys[id - 1];
    uint32_t number = site_function_number(site);
    uint64_t known = functions.numbers.count;
    uint64_t function =
        reserve_line(&functions) ? number_map_add(&functions.numbers, number)
                                 : 0;
    if (function == 0) {
      profile_output_fail(output, ENOMEM);
      break;
    }
    if (functions.numbers.count > known) {
      const struct code_function *f = site_function(number);
      int64_t line = source_line(&source, f->file, f->file_position);
      functions.lines[function - 1] = line;
      put_function(output, function, f, line);
    }
    put_location(output, id, site, function, functions.lines[function - 1]);
  }
  source_text_release(&source);
  number_map_release(&functions.numbers);
  free(functions.lines);
}
