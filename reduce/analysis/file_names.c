/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "analysis/file_names.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static const char opening[] = "(LOAD \"";

bool
is_named_after_file(const char *name)
{
  return strstr(name, opening) != NULL;
}

/* The end of PATH that has one component more than its end at END. */
static const char *
longer_end(const char *path, const char *end)
{
  if (end > path)
    end--; /* onto the slash */
  while (end > path && end[-1] != '/')
    end--;
  return end;
}

/* Whether PATH ends in the components END. */
static bool
ends_in(const char *path, const char *end)
{
  size_t length = strlen(path);
  size_t end_length = strlen(end);
  return length >= end_length &&
         strcmp(path + length - end_length, end) == 0 &&
         (length == end_length || path[length - end_length - 1] == '/');
}

/* The shortest end of the file of function INDEX that no other function of
 * OTHERS, which have its name, has. */
static const char *
distinct_end(const struct frame_table *table, const uint32_t *others,
             size_t count, uint32_t index)
{
  const char *path = function_file(table, index);
  const char *end = longer_end(path, path + strlen(path));
  for (size_t i = 0; i < count; i++)
    if (others[i] != index)
      while (end > path && ends_in(function_file(table, others[i]), end))
        end = longer_end(path, end);
  return end;
}

/* NAME with END in place of the name of the file, to be freed; NULL when
 * memory runs out. */
static char *
name_with(const char *name, const char *end)
{
  const char *file = strstr(name, opening) + sizeof opening - 1;
  const char *rest = file;
  while (*rest != '\0' && *rest != '"')
    rest += *rest == '\\' && rest[1] != '\0' ? 2 : 1;
  size_t before = (size_t)(file - name);
  char *result = malloc(before + 2 * strlen(end) + strlen(rest) + 1);
  if (result == NULL)
    return NULL;
  memcpy(result, name, before);
  char *out = result + before;
  for (; *end != '\0'; *out++ = *end++)
    if (*end == '"' || *end == '\\')
      *out++ = '\\';
  memcpy(out, rest, strlen(rest) + 1);
  return result;
}

static bool
rename_all(struct frame_table *table, const uint32_t *members, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *end = distinct_end(table, members, count, members[i]);
    char *text = name_with(function_name(table, members[i]), end);
    uint32_t name =
        text == NULL ? NAMES_NONE : names_intern(&table->names, text);
    free(text);
    if (name == NAMES_NONE)
      return false;
    table->functions[members[i]].name = name;
  }
  return true;
}

struct member {
  uint32_t name, function;
};

static int
compare_members(const void *left, const void *right)
{
  const struct member *a = left;
  const struct member *b = right;
  return a->name != b->name          ? (a->name < b->name ? -1 : 1)
         : a->function < b->function ? -1
                                     : a->function > b->function;
}

/* COUNT functions in ALL, in the order of their names. */
static bool
rename_groups(struct frame_table *table, const struct member *all,
              size_t count)
{
  uint32_t *group = array_zeroed(count, sizeof *group);
  if (group == NULL)
    return false;
  bool good = true;
  size_t length = 0;
  for (size_t i = 0; good && i < count; i++) {
    group[length++] = all[i].function;
    if (i + 1 < count && all[i + 1].name == all[i].name)
      continue;
    good = length == 1 || rename_all(table, group, length);
    length = 0;
  }
  free(group);
  return good;
}

bool
file_names_distinguish(struct frame_table *table)
{
  struct member *members =
      array_zeroed(table->function_count + 1, sizeof *members);
  if (members == NULL)
    return false;
  size_t count = 0;
  for (size_t i = 0; i < table->function_count; i++)
    if (table->functions[i].file != 0 && !table->functions[i].runtime &&
        is_named_after_file(function_name(table, i)))
      members[count++] =
          (struct member){table->functions[i].name, (uint32_t)i};
  if (count > 1)
    qsort(members, count, sizeof *members, compare_members);
  bool good = count < 2 || rename_groups(table, members, count);
  free(members);
  return good;
}
