/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* See lisp_source.h. */

#include "recover/lisp_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void
read_source(struct source_text *s, const char *path)
{
  struct stat status;
  FILE *const file = stat(path, &status) == 0 && S_ISREG(status.st_mode)
                         ? fopen(path, "re")
                         : NULL;
  free(s->text);
  free(s->path);
  *s = (struct source_text){.path = strdup(path)};
  if (file != NULL && fstat(fileno(file), &status) == 0 &&
      (s->text = malloc((size_t)status.st_size)) != NULL)
    s->size = fread(s->text, 1, (size_t)status.st_size, file);
  if (file != NULL)
    fclose(file);
}

int64_t
source_line(struct source_text *s, const char *file, int64_t position)
{
  int64_t line = 1;
  if (file == NULL || position < 0)
    return 0;
  if (s->path == NULL || strcmp(s->path, file) != 0)
    read_source(s, file);
  if ((uint64_t)position >= s->size)
    return 0;
  for (size_t i = 0; i < s->size && (i < (size_t)position ||
                                     strchr(" \t\r\n", s->text[i]) != NULL);
       i++)
    line += s->text[i] == '\n';
  return line;
}
