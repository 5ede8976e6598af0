/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions go by their numbers, which notes tell; what has only a C name has
 * it from the symbols of the file that it was loaded from.  Debug information
 * is not looked at: it tells lines, which nobody wants here, and takes longer
 * to read than all else.
 *
 * ECL notes of a function in which file its form begins and after how many
 * bytes.  The text of the last file is kept, for functions of one file often
 * follow each other.
 */

#include "images/building.h"

#include "base/input_file.h"
#include "symbols/code_names.h"

#include <stdio.h>
#include <sys/stat.h>

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

/* Returns the C name of what is OFFSET bytes into the code of MODULE, or "".
 * To people a part of a function that the compiler split is the function. */
static const char *
find_c_name(struct building *b, const struct note_module *module,
            uint64_t offset)
{
  struct code_names *names = b->code;
  struct function_found found;
  uint64_t address;
  if (module == NULL || module->path[0] != '/')
    return "";
  struct code_module *file =
      code_names_module(names, module->path, module->build_id);
  file->code_offset = module->offset;
  if (!code_names_function(names, file, offset + module->offset, &address,
                           &found) ||
      found.name == NULL)
    return "";
  b->name = function_name_of_symbol(found.name);
  char *part = strstr(b->name, ".part.");
  if (part != NULL)
    *part = '\0';
  return b->name;
}

struct building_function
lisp_function_at(struct building *b, uint32_t number)
{
  static const char *const special[] = {"[unknown]", "[over the budget]",
                                        "[signal handler]", "[finalizers]",
                                        "[cut short]"};
  const struct note *note = image_note_find(&b->notes, NOTE_FUNCTION, number);
  const struct note *source = image_note_find(&b->notes, NOTE_SOURCE, number);
  const struct note_module *module = NULL;
  struct building_function f = {
      .name = image_note_text(&b->notes, NOTE_NAME, number, NULL),
      .system_name = "",
      .position = -1,
      .flags = NOTE_CALLS_KNOWN};
  uint64_t offset;
  pool_free(b->name);
  b->name = NULL;
  if (number >= FUNCTIONS_OF_SPECIAL || (note == NULL && f.name == NULL)) {
    number -= FUNCTIONS_OF_SPECIAL;
    f.name = special[number < sizeof special / sizeof *special ? number : 0];
    return f;
  }
  if (note != NULL) {
    const bool unloaded = (note->value & NOTE_UNLOADED) != 0;
    module = image_module(&b->notes, note->more, unloaded, &offset);
    f.flags = note->value;
    f.code = unloaded ? 0 : note->more;
    f.system_name = find_c_name(b, module, offset);
  }
  if (source != NULL) {
    f.file = source->text;
    f.position = (int64_t)(source->value & INT32_MAX) - 1;
  }
  if (f.name == NULL && f.system_name[0] != '\0')
    f.name = f.system_name; /* or else it is called after its file */
  else if (f.name == NULL && module != NULL)
    f.name = b->name = pool_format("[%s]", basename(module->path));
  else if (f.name == NULL)
    f.name = special[0];
  return f;
}

/* ---- lines ------------------------------------------------------------- */

/* Returns the line where the form of F begins; 0: it cannot be known.  The
 * position is before the form: blank lines follow it. */
static int64_t
source_line(struct building *b, const struct building_function *f)
{
  struct stat status;
  int64_t line = 1;
  if (f->file == NULL || f->position < 0)
    return 0;
  if (b->file.path == NULL || strcmp(b->file.path, f->file) != 0) {
    pool_free(b->file.text);
    b->file.size = 0;
    b->file.path = pool_text(f->file);
    b->file.text =
        text_file_read_regular(f->file, SIZE_MAX, &b->file.size, &status);
  }
  const char *text = b->file.text;
  if ((uint64_t)f->position >= b->file.size)
    return 0;
  for (size_t i = 0; i < b->file.size && (i < (size_t)f->position ||
                                          strchr(" \t\r\n", text[i]) != NULL);
       i++)
    line += text[i] == '\n';
  return line;
}

/* ---- locations --------------------------------------------------------- */

/* Adds the location of SITE, with the line of its place or its function. */
uint32_t
lisp_location(struct building *b, uint64_t site)
{
  struct building_function f = lisp_function_at(b, number_at(site));
  const int64_t start = source_line(b, &f);
  const bool place = (site & SITE_PLACE) != 0;
  const bool own = place && PLACE_LINE(site) != 0;
  if ((f.flags & NOTE_RUNTIME) != 0)
    f.file = PPROF_RUNTIME_FILE;
  index_map_number((f.flags & NOTE_CALLS_KNOWN) != 0 ? &b->known
                                                     : &b->unknown,
                   building_name(b, f.name));
  return building_location(b, f.code + (place ? PLACE_OFFSET(site) : 0), &f,
                           start, own ? (int64_t)PLACE_LINE(site) : start);
}
