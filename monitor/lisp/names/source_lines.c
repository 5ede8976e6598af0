/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_lines.c -- see code_functions.h.
 *
 * A compiled file is one unit of the debugging information.  The C code
 * in it that does not stem from the source is without lines. */
#include "lisp/names/code_functions.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdw.h>

/* From that address to the next one. */
struct stretch {
  uint32_t offset; /* from where the file was loaded */
  uint32_t line;   /* 0: none */
};

struct source_lines {
  unsigned users; /* functions, and whoever has read them */
  uintptr_t base; /* where the file was loaded */
  size_t count;
  struct stretch stretches[]; /* by address */
};

/* Returns the line of a row; 0: it is of another file, or the end of the
 * code. */
static uint32_t
line_of_row(Dwarf_Line *row, const char *source)
{
  const char *const file = dwarf_linesrc(row, NULL, NULL);
  bool end = true;
  int line = 0;
  if (file == NULL || strcmp(file, source) != 0 ||
      dwarf_lineendsequence(row, &end) != 0 || end ||
      dwarf_lineno(row, &line) != 0 || line < 0)
    return 0;
  return (uint32_t)line;
}

/* Append the row.  Of several with one address the last one is meant. */
static void
add_row(struct source_lines *lines, Dwarf_Line *row, const char *source)
{
  const uint32_t line = line_of_row(row, source);
  struct stretch *const next = lines->stretches + lines->count;
  const bool first = lines->count == 0;
  Dwarf_Addr address;
  if (dwarf_lineaddr(row, &address) != 0 || address > UINT32_MAX)
    return;
  if (!first && next[-1].offset == address)
    next[-1].line = line;
  else if (line != (first ? 0 : next[-1].line))
    lines->stretches[lines->count++] =
        (struct stretch){.offset = (uint32_t)address, .line = line};
}

/* Reads the lines of a unit, whose rows are sorted by address. */
static struct source_lines *
read_unit(Dwarf_Die *unit, const char *source)
{
  Dwarf_Lines *rows;
  size_t count;
  struct source_lines *lines, *shorter;
  if (dwarf_getsrclines(unit, &rows, &count) != 0 ||
      (lines = malloc(sizeof *lines + count * sizeof *lines->stretches)) ==
          NULL)
    return NULL;
  lines->count = 0;
  for (size_t i = 0; i < count; i++)
    add_row(lines, dwarf_onesrcline(rows, i), source);
  shorter =
      realloc(lines, sizeof *lines + lines->count * sizeof *lines->stretches);
  return shorter != NULL ? shorter : lines;
}

/* Returns whether the thread has the stack that libdw takes, 150 kB and more.
 * A stack that is not the thread's own is taken for a large one. */
static bool
has_stack(void)
{
  pthread_attr_t attributes;
  void *lowest = NULL;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)&attributes - (uintptr_t)lowest > 200 << 10;
}

static struct source_lines *
read_file(const char *path, uintptr_t offset, const char *source)
{
  const int descriptor = has_stack() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  struct source_lines *lines = NULL;
  Dwarf *information;
  Dwarf_Die unit;
  if (descriptor < 0)
    return NULL;
  information = dwarf_begin(descriptor, DWARF_C_READ);
  if (information != NULL &&
      dwarf_addrdie(information, offset, &unit) != NULL)
    lines = read_unit(&unit, source);
  dwarf_end(information);
  close(descriptor);
  return lines;
}

struct source_lines *
source_lines_read(const struct link_map *file, uintptr_t code,
                  const char *source)
{
  struct source_lines *const lines =
      read_file(file->l_name[0] == '\0' ? "/proc/self/exe" : file->l_name,
                code - file->l_addr, source);
  if (lines == NULL || lines->count == 0) {
    free(lines);
    return NULL;
  }
  lines->users = 1;
  lines->base = file->l_addr;
  return lines;
}

struct source_lines *
source_lines_share(struct source_lines *lines)
{
  if (lines != NULL)
    lines->users++;
  return lines;
}

void
source_lines_release(struct source_lines *lines)
{
  if (lines != NULL && --lines->users == 0)
    free(lines);
}

uint32_t
source_lines_at(const struct source_lines *lines, uintptr_t address)
{
  size_t low = 0, high = lines->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (lines->stretches[middle].offset <= address - lines->base)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? 0 : lines->stretches[low - 1].line;
}
