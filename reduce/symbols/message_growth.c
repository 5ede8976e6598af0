/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arrays of the message grow by realloc: protobuf-c's own allocator is the C
 * library's.
 */

#include "symbols/message_growth.h"

#include "profile/array.h"

#include <string.h>

bool
message_growth_init(struct message_growth *growth,
                    Mprof__Pprof__Profile *message)
{
  memset(growth, 0, sizeof *growth);
  growth->message = message;
  growth->first_string = (int64_t)message->n_string_table - 1;
  growth->string_capacity = message->n_string_table;
  growth->function_capacity = message->n_function;
  growth->comment_capacity = message->n_comment;
  for (size_t i = 0; i < message->n_function; i++)
    if (message->function[i]->id > growth->last_function)
      growth->last_function = message->function[i]->id;
  return names_init(&growth->names);
}

void
message_growth_release(struct message_growth *growth)
{
  names_release(&growth->names);
}

bool
message_add_string(struct message_growth *growth, const char *text,
                   int64_t *index)
{
  Mprof__Pprof__Profile *message = growth->message;
  size_t before = growth->names.count;
  uint32_t name = names_intern(&growth->names, text);
  if (name == NAMES_NONE)
    return false;
  *index = name == 0 ? 0 : growth->first_string + (int64_t)name;
  if (growth->names.count == before)
    return true;
  char **strings =
      array_reserve(message->string_table, &growth->string_capacity,
                    message->n_string_table + 1, sizeof *strings);
  if (strings == NULL)
    return false;
  message->string_table = strings;
  char *copy = strdup(names_text(&growth->names, name));
  if (copy == NULL)
    return false;
  strings[message->n_string_table++] = copy;
  return true;
}

bool
message_add_comment(struct message_growth *growth, const char *text)
{
  Mprof__Pprof__Profile *message = growth->message;
  int64_t index;
  int64_t *comments =
      array_reserve(message->comment, &growth->comment_capacity,
                    message->n_comment + 1, sizeof *comments);
  if (comments == NULL)
    return false;
  message->comment = comments;
  if (!message_add_string(growth, text, &index))
    return false;
  comments[message->n_comment++] = index;
  return true;
}

Mprof__Pprof__Function *
message_add_function(struct message_growth *growth, const char *name,
                     const char *system_name, const char *file,
                     int64_t start_line)
{
  Mprof__Pprof__Profile *message = growth->message;
  Mprof__Pprof__Function **functions =
      array_reserve(message->function, &growth->function_capacity,
                    message->n_function + 1, sizeof *functions);
  if (functions == NULL)
    return NULL;
  message->function = functions;
  Mprof__Pprof__Function *function = malloc(sizeof *function);
  if (function == NULL)
    return NULL;
  mprof__pprof__function__init(function);
  function->id = ++growth->last_function;
  function->start_line = start_line;
  functions[message->n_function++] = function; /* freed with the message */
  return message_add_string(growth, name, &function->name) &&
                 message_add_string(growth, system_name,
                                    &function->system_name) &&
                 message_add_string(growth, file, &function->filename)
             ? function
             : NULL;
}

bool
message_set_line(Mprof__Pprof__Location *location,
                 const Mprof__Pprof__Function *function, int64_t line)
{
  Mprof__Pprof__Line *made = malloc(sizeof *made);
  Mprof__Pprof__Line **lines = malloc(sizeof(Mprof__Pprof__Line *));
  if (made == NULL || lines == NULL) {
    free(made);
    free(lines);
    return false;
  }
  mprof__pprof__line__init(made);
  made->function_id = function->id;
  made->line = line;
  free(location->line);
  lines[0] = made;
  location->line = lines;
  location->n_line = 1;
  return true;
}
