/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "analysis/suppression_file.h"

#include "base/array.h"
#include "base/text_file.h"

#include <string.h>

/* Returns whether PATTERN matches TEXT from its beginning, and to its end if
 * it ends in $. */
static bool
matches_here(const char *pattern, const char *text)
{
  const char *star = NULL; /* behind the last one, */
  const char *from = text; /* which stands for what is before this */
  for (;;) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '\0' ||
               (pattern[0] == '$' && pattern[1] == '\0' && *text == '\0')) {
      return true;
    } else if (*text != '\0' && *pattern == *text) {
      pattern++;
      text++;
    } else if (star != NULL && *from != '\0') {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
}

bool
suppression_file_names(const struct suppression_file *file, const char *text)
{
  for (size_t i = 0; i < file->count; i++)
    if (matches_here(file->patterns[i], text))
      return true;
  return false;
}

/* Adds the pattern of LINE, whose number is NUMBER, to FILE.  A pattern has a *
 * in front, unless it is anchored. */
static void
add_line(struct suppression_file *file, char *line, const char *path,
         size_t number)
{
  static const char key[] = "leak:";
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (*line == '\0' || *line == '#')
    return;
  const char *pattern = line + sizeof key - 1;
  if (strncmp(line, key, sizeof key - 1) != 0 || *pattern == '\0')
    fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
              "cannot read '%s': line %zu is not 'leak:PATTERN'", path,
              number);
  ARRAY_PUSH(file->patterns, file->count, file->capacity,
             *pattern == '^' ? pattern + 1 : pool_format("*%s", pattern));
}

struct suppression_file
suppression_file_read(const char *path)
{
  struct suppression_file file = {0};
  size_t number = 0;
  for (char *text = text_file_load(path); text != NULL && *text != '\0';)
    add_line(&file, strsep(&text, "\n"), path, ++number);
  return file;
}
