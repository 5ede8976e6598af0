/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* See c_names.h.  Debug information is not looked at: it tells lines, which
 * nobody wants here, and takes longer to read than all else.
 */

#include "recover/c_names.h"

#include "base/array.h"
#include "symbols/code_file.h"

struct c_name_file {
  const struct note_module *module;
  bool is_open;
  struct code_file file;
  struct function_symbols symbols;
};

void
c_names_release(struct c_names *names)
{
  for (size_t i = 0; i < names->count; i++)
    if (names->files[i].is_open) {
      function_symbols_release(&names->files[i].symbols);
      code_file_release(&names->files[i].file);
    }
  free(names->files);
  names_release(&names->names);
  *names = (struct c_names){0};
}

/* The file of MODULE, which is opened if it can be; NULL when memory runs
 * out. */
static struct c_name_file *
find_file(struct c_names *names, const struct note_module *module)
{
  struct c_name_file new = {.module = module};
  for (size_t i = 0; i < names->count; i++)
    if (names->files[i].module == module)
      return &names->files[i];
  if ((names->count == 0 && !names_init(&names->names)) ||
      !ARRAY_PUSH(names->files, names->count, names->capacity, new))
    return NULL;
  struct c_name_file *file = &names->files[names->count - 1];
  file->is_open = module->path[0] == '/' &&
                  code_file_open(&file->file, module->path,
                                 module->build_id, false) == CODE_FILE_GOOD;
  return !file->is_open || function_symbols_init(&file->symbols, &file->file)
             ? file
             : NULL;
}

/* To people a part of a function that the compiler split is the function. */
static uint32_t
intern_readable(struct c_names *names, const char *symbol)
{
  char *readable = function_name_of_symbol(symbol);
  char *part = readable == NULL ? NULL : strstr(readable, ".part.");
  if (part != NULL)
    *part = '\0';
  const uint32_t name = readable == NULL
                            ? NAMES_NONE
                            : names_intern(&names->names, readable);
  free(readable);
  return name;
}

const char *
c_name(struct c_names *names, const struct note_module *module,
       uint64_t address)
{
  struct function_found found;
  const struct c_name_file *file = find_file(names, module);
  if (file == NULL)
    return NULL;
  if (!file->is_open ||
      !code_file_address(&file->file,
                         address - module->start + module->offset, &address) ||
      !function_symbols_find(&file->symbols, address, &found) ||
      found.name == NULL)
    return "";
  const uint32_t name = intern_readable(names, found.name);
  return name == NAMES_NONE ? NULL : names_text(&names->names, name);
}
