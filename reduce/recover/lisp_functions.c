/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions go by their numbers, which notes tell; what has only a C name has
 * it from the file that it was loaded from.
 */

#include "recover/lisp_recovery.h"

#include <stdio.h>
#include <string.h>

/* Numbers of functions from here on are an enum site_special. */
enum { FUNCTIONS_OF_SPECIAL = 0x1FFFF00 };

/* ---- functions --------------------------------------------------------- */

static uint32_t
number_at(uint64_t at)
{
  if ((at & SITE_PLACE) != 0)
    return (uint32_t)(at & FUNCTION_NUMBER);
  return (at & SITE_SPECIAL) != 0 && (at & (SITE_OBJECT | SITE_RETIRED)) == 0
             ? FUNCTIONS_OF_SPECIAL | (uint32_t)(at & 0xFF)
             : 0;
}

/* The file that its code is or was from; NULL: it is not known. */
static const struct note_module *
module_of(const struct lisp_recovery *r, const struct note *function)
{
  return (function->value & NOTE_UNLOADED) != 0
             ? image_module_unloaded(r->notes, RETIRED_OBJECT(function->more))
             : image_module_at(r->notes, function->more);
}

/* Its C name; "": it has none. */
static const char *
find_c_name(struct lisp_recovery *r, const struct note *function)
{
  const struct note_module *module = module_of(r, function);
  const uint64_t address =
      module != NULL && (function->value & NOTE_UNLOADED) != 0
          ? module->start + RETIRED_OFFSET(function->more)
          : function->more;
  const char *name = module == NULL ? "" : c_name(&r->names, module, address);
  building_check(&r->building, name != NULL);
  return name == NULL ? "" : name;
}

/* What has no name at all is called after its file. */
static const char *
file_name(const struct note_module *module, char name[300])
{
  const char *slash = module == NULL ? NULL : strrchr(module->path, '/');
  if (module == NULL)
    return "[unknown]";
  snprintf(name, 300, "[%s]", slash == NULL ? module->path : slash + 1);
  return name;
}

static const char *
special_name(uint32_t special)
{
  static const char *const names[] = {
      "[unknown]", "[over the budget]", "[signal handler]", "[finalizers]",
      "[cut short]"};
  return special < sizeof names / sizeof *names ? names[special] : names[0];
}

struct lisp_function
lisp_function_at(struct lisp_recovery *r, uint32_t number, char room[300])
{
  const struct note *note = image_note_find(r->notes, NOTE_FUNCTION, number);
  const struct note *source = image_note_find(r->notes, NOTE_SOURCE, number);
  struct lisp_function f = {
      .name = image_note_text(r->notes, NOTE_NAME, number, NULL),
      .system_name = "",
      .position = -1,
      .flags = NOTE_CALLS_KNOWN};
  if (number >= FUNCTIONS_OF_SPECIAL || (note == NULL && f.name == NULL)) {
    f.name = special_name(number >= FUNCTIONS_OF_SPECIAL
                              ? number - FUNCTIONS_OF_SPECIAL
                              : 0);
    return f;
  }
  if (note != NULL) {
    f.flags = note->value;
    f.code = (note->value & NOTE_UNLOADED) != 0 ? 0 : note->more;
    f.system_name = find_c_name(r, note);
  }
  if (source != NULL) {
    f.file = source->text;
    f.position = (int64_t)(source->value & INT32_MAX) - 1;
  }
  if (f.name == NULL)
    f.name = f.system_name[0] != '\0' ? f.system_name
                                      : file_name(module_of(r, note), room);
  return f;
}

/* ---- locations --------------------------------------------------------- */

/* Notes whether the calls of functions called NAME are counted. */
static void
note_calls(struct lisp_recovery *r, const char *name, bool counted)
{
  struct building *b = &r->building;
  const uint32_t id = building_name(b, name);
  building_check(b, b->failed || index_map_number(counted ? &r->known
                                                          : &r->unknown,
                                                  id) != INDEX_NONE);
}

/* A site of a place has a line of its own, or that where its function begins.
 */
uint32_t
lisp_location(void *recovery, uint64_t site, uint32_t function)
{
  struct lisp_recovery *r = recovery;
  char room[300];
  const struct lisp_function f = lisp_function_at(r, number_at(site), room);
  const int64_t start = source_line(&r->source, f.file, f.position);
  const bool place = (site & SITE_PLACE) != 0;
  const bool own = place && PLACE_LINE(site) != 0;
  const bool runtime = (f.flags & NOTE_RUNTIME) != 0;
  (void)function;
  note_calls(r, f.name, (f.flags & NOTE_CALLS_KNOWN) != 0);
  return building_location(
      &r->building, INDEX_NONE, f.code + (place ? PLACE_OFFSET(site) : 0),
      building_function(&r->building, f.name, f.system_name,
                        runtime ? PPROF_RUNTIME_FILE : f.file, start),
      own ? (int64_t)PLACE_LINE(site) : start);
}

/* Readers tell functions by their names: of several with one name the calls
 * are unknown only if no one's are known. */
void
lisp_add_unknown_calls(struct lisp_recovery *r)
{
  struct building *b = &r->building;
  const size_t count = b->reading.profile->function_count;
  for (size_t i = 0; i < count && !b->failed; i++) {
    const uint32_t name = b->reading.profile->functions[i].name;
    if (index_map_find(&r->unknown, name) == INDEX_NONE ||
        index_map_find(&r->known, name) != INDEX_NONE)
      continue;
    building_check(b, index_map_add(&r->known, name, 0));
    building_comment(b, PPROF_COMMENT_CALLS_UNKNOWN,
                     names_text(&b->reading.profile->names, name));
  }
}
