/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/source_text.h"

#include "base/pool.h"
#include "base/text_file.h"

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
  enum { MOST_BYTES = 1 << 26 };
  struct stat status;
  char *whole = text_file_read_regular(path, MOST_BYTES, NULL, &status);
  char *rest = whole, *line = NULL;
  for (int64_t i = 0; i < number && rest != NULL && *rest != '\0'; i++)
    line =
        i + 1 == number ? strsep(&rest, "\n") : (strsep(&rest, "\n"), NULL);
  if (line != NULL) {
    const char *start = line + strspn(line, " \t\f");
    size_t left = strlen(start);
    while (left > 0 && strchr(" \t\r\n\f", start[left - 1]) != NULL)
      left--;
    copy(text, start, left);
  }
  pool_free(whole);
  return line != NULL;
}
