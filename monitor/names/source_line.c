/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_line.c -- the newlines before a position are counted one by one: a
 * file is read once, and has few functions that allocate.
 */
#include "names/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
source_text_release(struct source_text *s)
{
  free(s->path);
  free(s->text);
  memset(s, 0, sizeof *s);
}

int64_t
source_line(struct source_text *s, const char *path, int position)
{
  int64_t line = 1;
  if (path == NULL || position < 0)
    return 0;
  if (s->path == NULL || strcmp(s->path, path) != 0) {
    FILE *f = fopen(path, "r");
    size_t room = 0, got;
    source_text_release(s);
    s->path = strdup(path);
    while (f != NULL) {
      if (s->size + 4096 > room) {
        char *bigger = realloc(s->text, room = room * 2 + 65536);
        if (bigger == NULL)
          break;
        s->text = bigger;
      }
      got = fread(s->text + s->size, 1, room - s->size, f);
      if (got == 0)
        break;
      s->size += got;
    }
    if (f != NULL)
      fclose(f);
  }
  if ((size_t)position >= s->size)
    return 0;
  for (int i = 0; i < position; i++)
    line += s->text[i] == '\n';
  /* the position is before the form: blank lines follow it */
  for (size_t i = (size_t)position;
       i < s->size && (s->text[i] == '\n' || s->text[i] == ' ' ||
                       s->text[i] == '\t' || s->text[i] == '\r');
       i++)
    line += s->text[i] == '\n';
  return line;
}
