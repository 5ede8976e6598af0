/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_line.c -- the newlines before a position are counted one by one: a
 * file is read once, and has few functions that allocate.
 */
#include "names/source_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
source_text_release(struct source_text *s)
{
  free(s->path);
  free(s->text);
  memset(s, 0, sizeof *s);
}

static void
read_file(struct source_text *s, const char *path)
{
  FILE *file = fopen(path, "r");
  struct stat status;
  s->path = strdup(path);
  if (file != NULL && fstat(fileno(file), &status) == 0 &&
      (s->text = malloc((size_t)status.st_size)) != NULL)
    s->size = fread(s->text, 1, (size_t)status.st_size, file);
  if (file != NULL)
    fclose(file);
}

static bool
is_blank(char c)
{
  return c == '\n' || c == ' ' || c == '\t' || c == '\r';
}

/* The position is before the form: blank lines follow it. */
int64_t
source_line(struct source_text *s, const char *path, int position)
{
  int64_t line = 1;
  if (path == NULL || position < 0)
    return 0;
  if (s->path == NULL || strcmp(s->path, path) != 0) {
    source_text_release(s);
    read_file(s, path);
  }
  if ((size_t)position >= s->size)
    return 0;
  for (size_t i = 0;
       i < s->size && (i < (size_t)position || is_blank(s->text[i])); i++)
    line += s->text[i] == '\n';
  return line;
}
