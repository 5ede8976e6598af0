/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/source_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Copies as many whole characters of LENGTH bytes at LINE as TEXT holds. */
static void
copy(char *text, const char *line, size_t length)
{
  if (length >= SOURCE_TEXT_BYTES) {
    length = SOURCE_TEXT_BYTES - 1;
    while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
      length--;
  }
  memcpy(text, line, length);
  text[length] = '\0';
}

bool
source_text(const char *path, int64_t number, char text[SOURCE_TEXT_BYTES])
{
  struct stat status;
  char *line = NULL;
  size_t room = 0;
  ssize_t length = -1;
  FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode)
                   ? fopen(path, "r")
                   : NULL;
  if (file == NULL)
    return false;
  for (int64_t i = 0; i < number; i++)
    if ((length = getline(&line, &room, file)) < 0)
      break;
  fclose(file);
  if (length >= 0) {
    const char *start = line + strspn(line, " \t\f");
    size_t left = (size_t)(line + length - start);
    while (left > 0 && strchr(" \t\r\n\f", start[left - 1]) != NULL)
      left--;
    copy(text, start, left);
  }
  free(line);
  return length >= 0;
}
