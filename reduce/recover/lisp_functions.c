/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions go by their numbers, which notes tell; what has only a C name has
 * it from the file that it was loaded from.
 */

#include "recover/lisp_recovery.h"

#include "recover/lisp_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
  if (name == NULL)
    octets_fail(r->stream.output, ENOMEM);
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

enum location_part
lisp_location_part(void *recovery, uint64_t site)
{
  const struct lisp_recovery *r = recovery;
  const uint32_t number = number_at(site);
  const struct note *note = image_note_find(r->notes, NOTE_FUNCTION, number);
  const char *name = image_note_text(r->notes, NOTE_NAME, number, "");
  if (note != NULL && (note->value & NOTE_RUNTIME) != 0)
    return LOCATION_HIDDEN;
  return strcmp(name, image_note_text(r->notes, NOTE_ROOT, 0, " ")) == 0
             ? LOCATION_ROOT
             : LOCATION_SHOWS;
}

/* ---- locations --------------------------------------------------------- */

/* Readers tell functions by their names: of several with one name the calls
 * are unknown only if no one's are known. */
static void
put_unknown_calls(struct pprof_stream *p, const struct intern_table *unknown,
                  struct intern_table *known)
{
  for (uint32_t i = 1; i <= unknown->count && !pprof_failed(p); i++) {
    const uint32_t before = known->count;
    const char *const name = intern_table_text(unknown, i);
    if (intern_text(known, name) > before)
      pprof_put_comment(p, PPROF_COMMENT_CALLS_UNKNOWN, name);
  }
}

/* A function goes by its number, and each location is one of its own. */
void
lisp_put_locations(struct lisp_recovery *r)
{
  struct pprof_stream *p = &r->stream;
  struct intern_table known = {0}, unknown = {0}; /* names, by their calls */
  struct source_text source = {0};
  char own[300];
  for (uint32_t id = 1; id <= r->samples.locations.count; id++) {
    const struct lisp_function f = lisp_function_at(
        r, number_at(sample_writer_location(&r->samples, id)), own);
    const int64_t line = source_line(&source, f.file, f.position);
    pprof_put_function(p, id, f.name, f.system_name,
                       (f.flags & NOTE_RUNTIME) != 0 ? PPROF_RUNTIME_FILE
                                                     : f.file,
                       line);
    pprof_put_location(p, id, sample_writer_address(&r->samples, id, f.code),
                       id, sample_writer_line(&r->samples, id, line));
    if (intern_text((f.flags & NOTE_CALLS_KNOWN) != 0 ? &known : &unknown,
                    f.name) == 0)
      octets_fail(p->output, ENOMEM);
  }
  put_unknown_calls(p, &unknown, &known);
  intern_table_release(&known);
  intern_table_release(&unknown);
  free(source.text);
  free(source.path);
}
