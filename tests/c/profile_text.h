/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles as text: golden/profiles.txt says how they are written.  A line
 * that is not understood ends the program.
 */

#pragma once

#include "profile_builder.h"

/* Undoes the escapes of the folded format but for SEPARATOR, which takes the
 * place of an unescaped ";". */
static inline void
text_unescape(char *text, char separator)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++)
    if (*from != '\\')
      *to++ = *from == ';' ? separator : *from;
    else if (*++from == 'n')
      *to++ = '\n';
    else if (*from == '\\')
      *to++ = '\\';
    else {
      assert(strncmp(from, "x3b", 3) == 0);
      from += 2;
      *to++ = ';';
    }
  *to = '\0';
}

/* Labels of SAMPLE: KEY=TEXT..., where words without "=" go on with the
 * text before them; bytes=N is a number. */
static inline void
text_labels(Pprof *b, Mprof__Pprof__Sample *sample, char *labels)
{
  while (*labels != '\0') {
    char *value = strchr(labels, '=');
    assert(value != NULL);
    char *next = strchr(value + 1, '=');
    while (next != NULL && *next != ' ')
      next--;
    *value++ = '\0';
    if (next != NULL)
      *next++ = '\0';
    if (strcmp(labels, "bytes") == 0)
      builder_label(b, sample, labels, NULL, atoll(value));
    else
      builder_label(b, sample, labels, value, 0);
    labels = next != NULL ? next : value + strlen(value);
  }
}

/* "VALUES LABELS: CHAIN", or one of the short forms of it. */
static inline void
text_sample(Pprof *b, char *line)
{
  static const char separator[] = "\x1f";
  char *chain = strstr(line, ": ");
  assert(chain != NULL);
  *chain = '\0';
  text_unescape(chain += 2, *separator);
  Mprof__Pprof__Sample *sample = builder_sample_of(b, chain, separator);
  int64_t *values = sample->value;
  if (strncmp(line, "calls ", 6) == 0) {
    values[4] = strtoll(line + 6, &line, 10);
  } else if (strncmp(line, "cons ", 5) == 0) {
    values[0] = strtoll(line + 5, &line, 10);
    values[1] = 16 * values[0];
    builder_label(b, sample, "category", "cons", 0);
    builder_label(b, sample, "type", "CONS", 0);
    builder_label(b, sample, "bytes", NULL, 16);
  } else {
    for (size_t i = 0; (*line >= '0' && *line <= '9') || *line == '-'; i++) {
      assert(i < b->n_sample_type);
      values[i] = strtoll(line, &line, 10);
      line += *line == ' ';
    }
  }
  line += *line == ' ';
  text_labels(b, sample, line);
}

/* "TYPE UNIT TYPE UNIT ..." */
static inline void
text_columns(Pprof *b, char *line)
{
  char *rest = NULL;
  for (char *type = strtok_r(line, " ", &rest); type != NULL;
       type = strtok_r(NULL, " ", &rest))
    builder_column(b, type, strtok_r(NULL, " ", &rest));
}

static inline void
text_line(Pprof *b, char *line)
{
  char name[64], file[64];
  int start;
  if (strncmp(line, "mprof.", 6) == 0)
    builder_comment(b, line);
  else if (strncmp(line, "more columns ", 13) == 0)
    text_columns(b, line + 13);
  else if (strncmp(line, "columns", 7) == 0) {
    while (b->n_sample_type > 0)
      free(b->sample_type[--b->n_sample_type]);
    text_columns(b, line + 7);
  } else if (strncmp(line, "show ", 5) == 0)
    b->default_sample_type = builder_string(b, line + 5);
  else if (sscanf(line, "function %63s %63s %d", name, file, &start) == 3)
    builder_function(b, name, file, start);
  else
    text_sample(b, line);
}

/* The profile called NAME of the file PATH; free with builder_free. */
static inline Pprof *
builder_read(const char *path, const char *name)
{
  Pprof *b = NULL;
  char line[4096], title[128];
  FILE *file = fopen(path, "r");
  assert(file != NULL);
  int length = snprintf(title, sizeof title, "profile %s ", name);
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, title, (size_t)length) == 0)
      b = builder_new(strcmp(line + length, "other") == 0 ? NULL
                                                          : line + length);
    else if (b != NULL && strncmp(line, "profile ", 8) == 0)
      break;
    else if (b != NULL && *line != '#' && *line != '\0')
      text_line(b, line);
  }
  fclose(file);
  assert(b != NULL);
  return b;
}

static inline Pprof *
example(const char *name)
{
  return builder_read("tests/golden/profiles.txt", name);
}
