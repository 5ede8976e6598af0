/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_lines.c -- see code_functions.h.
 *
 * A compiled file is one unit of the debugging information.  The C code
 * in it that does not stem from the source is without lines.
 *
 * libdw finds the unit, and its line program is run here (DWARF 2 to 5,
 * section 6.2).  libdw would make an array of all rows, which takes five
 * times as long (0.1 s at the start of a program with 27 MB of code) and 150
 * kB of stack.  Nothing is read beyond the end of a section. */
#include "lisp/names/code_functions.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdw.h>
#include <gelf.h>

#include "code/frame_entry.h"

/* The code from an address to that of the next stretch. */
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

enum { SECTION_LINE, SECTION_LINE_STR, SECTIONS };

struct source_file {
  const struct link_map *map;
  int descriptor;
  Dwarf *information; /* NULL: it cannot be read */
  struct cursor sections[SECTIONS];
};

/* ---- files ---- */

/* Finds the sections of FILE, which libdw has read and does not tell. */
static void
find_sections(struct source_file *file)
{
  static const char *const names[SECTIONS] = {".debug_line",
                                              ".debug_line_str"};
  Elf *const elf = dwarf_getelf(file->information);
  size_t texts;
  if (elf_getshdrstrndx(elf, &texts) != 0)
    return;
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s)) != NULL;) {
    GElf_Shdr header = {0};
    const Elf_Data *const data =
        gelf_getshdr(s, &header) != NULL ? elf_getdata(s, NULL) : NULL;
    const char *const name = elf_strptr(elf, texts, header.sh_name);
    for (int i = 0; name != NULL && data != NULL && i < SECTIONS; i++)
      if (data->d_buf != NULL && strcmp(name, names[i]) == 0)
        file->sections[i] = (struct cursor){
            .at = data->d_buf, .end = (uint8_t *)data->d_buf + data->d_size};
  }
}

void
source_file_close(struct source_file *file)
{
  if (file == NULL)
    return;
  dwarf_end(file->information);
  if (file->descriptor >= 0)
    close(file->descriptor);
  free(file);
}

struct source_file *
source_file_open(struct source_file *before, const struct link_map *map)
{
  struct source_file *file;
  if (before != NULL && before->map == map)
    return before;
  source_file_close(before);
  if ((file = calloc(1, sizeof *file)) == NULL)
    return NULL;
  file->map = map;
  file->descriptor =
      open(map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name,
           O_RDONLY | O_CLOEXEC);
  if (file->descriptor >= 0)
    file->information = dwarf_begin(file->descriptor, DWARF_C_READ);
  if (file->information != NULL)
    find_sections(file);
  return file;
}

/* ---- line programs ---- */

struct program {
  struct cursor code;
  uint64_t step;           /* of addresses */
  int first_line, range;   /* which lines a special opcode advances by */
  unsigned first_special;  /* the first of these opcodes */
  const uint8_t *operands; /* numbers of them of the opcodes before, from 1 */
  uint64_t source;         /* number of the file that lines are wanted of */
};

/* Reads a list of directories or files as it is before DWARF 5: entries of a
 * text and some NUMBERS, up to an empty text.  Returns the number of the
 * entry whose path ends in NAME, counted from 1 on, or UINT64_MAX. */
static uint64_t
find_in_old_list(struct cursor *c, int numbers, const char *name)
{
  uint64_t found = UINT64_MAX;
  for (uint64_t number = 1;; number++) {
    const char *const text = (const char *)c->at;
    cursor_take(c, strnlen(text, (size_t)(c->end - c->at)) + 1);
    if (c->bad || *text == '\0')
      return found;
    for (int i = 0; i < numbers; i++)
      cursor_uleb(c);
    if (strcmp(basename(text), name) == 0)
      found = number;
  }
}

/* Reads a list of directories or files: the parts of an entry with the forms
 * that these have, then the entries.  Returns the number of the entry whose
 * path ends in NAME, or UINT64_MAX. */
static uint64_t
find_in_list(const struct source_file *file, struct cursor *c,
             const char *name)
{
  const uint64_t format_count = cursor_number(c, 1);
  const struct cursor formats = *c;
  uint64_t count, found = UINT64_MAX;
  for (uint64_t i = 0; i < 2 * format_count; i++)
    cursor_uleb(c);
  count = cursor_uleb(c);
  for (uint64_t i = 0; i < count * format_count && !c->bad; i++) {
    struct cursor format = formats, text = file->sections[SECTION_LINE_STR];
    for (uint64_t skipped = i % format_count; skipped > 0; skipped--)
      cursor_uleb(&format), cursor_uleb(&format);
    cursor_uleb(&format); /* what the part is */
    switch (cursor_uleb(&format)) {
    case DW_FORM_line_strp:
      cursor_take(&text, cursor_number(c, 4));
      if (!text.bad && text.at < text.end && text.end[-1] == '\0' &&
          strcmp(basename((const char *)text.at), name) == 0)
        found = i / format_count;
      break;
    case DW_FORM_udata:
      cursor_uleb(c);
      break;
    case DW_FORM_data16:
      cursor_take(c, 16);
      break;
    default:
      c->bad = true;
    }
  }
  return found;
}

/* Reads the head of the program at OFFSET.  Returns false if it cannot be
 * read, or has no line of SOURCE. */
static bool
open_program(const struct source_file *file, uint64_t offset,
             const char *source, struct program *p)
{
  struct cursor c = file->sections[SECTION_LINE];
  uint64_t size, version;
  cursor_take(&c, offset);
  size = cursor_number(&c, 4);
  if (size > (uint64_t)(c.end - c.at))
    return false;
  c.end = c.at + size;
  version = cursor_number(&c, 2);
  if (version >= 5)
    cursor_take(&c, 2); /* sizes of an address and of a segment's number */
  size = cursor_number(&c, 4);
  p->code = c;
  cursor_take(&p->code, size);
  p->step = cursor_number(&c, 1);
  cursor_take(&c, version >= 4 ? 2 : 1); /* of statements, and before that of
                                            long instruction words */
  p->first_line = (int8_t)cursor_number(&c, 1);
  p->range = (int)cursor_number(&c, 1);
  p->first_special = (unsigned)cursor_number(&c, 1);
  p->operands = cursor_take(&c, p->first_special - 1);
  if (version >= 5) { /* the directories, then the files */
    find_in_list(file, &c, "");
    p->source = find_in_list(file, &c, basename(source));
  } else {
    find_in_old_list(&c, 0, "");
    p->source = find_in_old_list(&c, 3, basename(source));
  }
  return version <= 5 && p->range != 0 && p->source != UINT64_MAX && !c.bad &&
         !p->code.bad;
}

/* Appends a row.  Of several with one address the last one is meant. */
static void
add_row(struct source_lines *lines, uint64_t address, uint64_t line)
{
  struct stretch *const next = lines->stretches + lines->count;
  const bool first = lines->count == 0;
  if (address > UINT32_MAX)
    return;
  if (line > INT32_MAX)
    line = 0;
  if (!first && next[-1].offset == address)
    next[-1].line = (uint32_t)line;
  else if (line != (first ? 0 : next[-1].line))
    lines->stretches[lines->count++] =
        (struct stretch){.offset = (uint32_t)address, .line = (uint32_t)line};
}

/* Runs the program, and appends its rows; those of other files, and the ends
 * of code, with line 0. */
static void
run_program(struct program *p, struct source_lines *lines)
{
  struct cursor *const c = &p->code;
  uint64_t address = 0, line = 1, file = 1;
  while (c->at < c->end && !c->bad) {
    const unsigned opcode = *c->at++, special = opcode - p->first_special;
    struct cursor extended = *c;
    switch (opcode < p->first_special ? opcode : (unsigned)DW_LNS_copy) {
    case DW_LNS_copy:
      if (opcode >= p->first_special) {
        address += special / (unsigned)p->range * p->step;
        line += (uint64_t)(p->first_line + (int)special % p->range);
      }
      add_row(lines, address, file == p->source ? line : 0);
      break;
    case 0: /* an extended opcode, after its size */
      cursor_take(c, cursor_uleb(c));
      cursor_uleb(&extended);
      switch (cursor_number(&extended, 1)) {
      case DW_LNE_end_sequence:
        add_row(lines, address, 0);
        address = 0, line = file = 1;
        break;
      case DW_LNE_set_address:
        address = cursor_number(&extended, 8);
      }
      break;
    case DW_LNS_advance_pc:
      address += cursor_uleb(c) * p->step;
      break;
    case DW_LNS_advance_line:
      line += cursor_leb(c, true);
      break;
    case DW_LNS_set_file:
      file = cursor_uleb(c);
      break;
    case DW_LNS_const_add_pc:
      address += (255 - p->first_special) / (unsigned)p->range * p->step;
      break;
    case DW_LNS_fixed_advance_pc:
      address += cursor_number(c, 2);
      break;
    default:
      for (unsigned i = 0; i < p->operands[opcode - 1]; i++)
        cursor_uleb(c);
    }
  }
}

/* Orders stretches by address.  The end of a function's code, which has no
 * line, comes before the beginning of the next one. */
static int
compare_stretches(const void *left, const void *right)
{
  const struct stretch *const a = left, *const b = right;
  return a->offset != b->offset
             ? (a->offset > b->offset) - (a->offset < b->offset)
             : (a->line > b->line) - (a->line < b->line);
}

struct source_lines *
source_lines_read(const struct source_file *file, uintptr_t code,
                  const char *source)
{
  struct source_lines *lines, *shorter;
  struct program program;
  Dwarf_Attribute attribute;
  Dwarf_Word offset;
  Dwarf_Die unit;
  if (file == NULL || file->information == NULL ||
      dwarf_addrdie(file->information, code - file->map->l_addr, &unit) ==
          NULL ||
      dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &attribute),
                      &offset) != 0 ||
      !open_program(file, offset, source, &program))
    return NULL;
  /* no row takes less than a byte */
  lines =
      malloc(sizeof *lines + (size_t)(program.code.end - program.code.at) *
                                 sizeof *lines->stretches);
  if (lines == NULL)
    return NULL;
  *lines = (struct source_lines){.users = 1, .base = file->map->l_addr};
  run_program(&program, lines);
  qsort(lines->stretches, lines->count, sizeof *lines->stretches,
        compare_stretches);
  shorter =
      realloc(lines, sizeof *lines + lines->count * sizeof *lines->stretches);
  return shorter != NULL ? shorter : lines;
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
