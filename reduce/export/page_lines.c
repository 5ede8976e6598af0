/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of source in the page: the chains are those of --by=line, from which
 * the page makes the figures; and beside them stands what is in the files
 * now.
 *
 * A profile may name any file, and a page is given away: so nothing but
 * regular files with the name of a source file are read, without a zero byte,
 * and of these only lines that have figures, with those around them.  Files
 * that may hold secrets, by their names, are left out.
 */

#include "export/export.h"

#include "base/array.h"
#include "base/input_file.h"
#include "base/quote.h"
#include "tables/output.h"
#include "tables/writer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  LINES_AROUND = 4,    /* of one with figures, before and after */
  MOST_LINE = 400,     /* bytes shown of a line */
  MOST_FILE = 8 << 20, /* bytes of a file */
  MOST_TEXT = 2 << 20  /* of all that is shown */
};

/* A line that has figures. */
struct place {
  const char *file;
  int64_t line;
};

static int
compare_places(const void *left, const void *right)
{
  const struct place *a = left, *b = right;
  return strcmp(a->file, b->file)
             ?: array_order((uint64_t)a->line, (uint64_t)b->line);
}

static bool
is_secret(const char *path)
{
  static const char *const parts[] = {
      "secret", "credential", "password", "passwd", "private_key", "api_key",
      "id_rsa", "id_ed25519", ".env",     ".pem",   ".key"};
  const char *slash = strrchr(path, '/');
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcasestr(slash == NULL ? path : slash, parts[i]) != NULL)
      return true;
  return false;
}

static const char source_endings[] =
    ".c .h .cc .hh .cpp .hpp .cxx .hxx .c++ .h++ .C .H .inc .ipp .tcc .y .m "
    ".mm .lisp .lsp .cl .l .asd .d .go .rs .zig .f .f90 .pas .adb ";

/* Writes those lines of TEXT that are near one of the COUNT PLACES, as far as
 * there are bytes LEFT. */
static void
write_file_lines(struct writer *out, char *text, const struct place *places,
                 size_t count, size_t *left)
{
  size_t next = 0;
  for (int64_t line = 1; next < count && *text != '\0'; line++) {
    size_t length = strcspn(text, "\n");
    size_t shown = utf8_cut(text, length, MOST_LINE);
    bool last = text[length] == '\0';
    while (next < count && places[next].line + LINES_AROUND < line)
      next++;
    if (next < count && places[next].line - LINES_AROUND <= line &&
        shown < *left) {
      *left -= shown + 1;
      text[shown] = '\0';
      writer_begin(out, '{');
      put_number(at(out, "line"), (uint64_t)line);
      put_string(at(out, "text"), text);
      writer_end(out, '}');
    }
    text += length + !last;
  }
}

/* Writes the file of the COUNT PLACES, if there is one. */
static void
write_file(struct writer *out, const struct place *places, size_t count,
           size_t *left)
{
  const struct profile *profile = out->view->profile;
  struct stat status;
  size_t length;
  char *text = NULL;
  if (file_ending(places->file, source_endings) > 0 &&
      !is_secret(places->file))
    text = text_file_read_regular(places->file, MOST_FILE, &length, &status);
  if (text == NULL || strlen(text) < length)
    return;
  const int64_t changed =
      status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
  writer_begin(out, '{');
  put_string(at(out, "file"), places->file);
  put_number(at(out, "changed"),
             profile->time_nanos != 0 &&
                 changed > profile->time_nanos + profile->duration_nanos);
  writer_begin(at(out, "lines"), '[');
  write_file_lines(out, text, places, count, left);
  writer_end(out, ']');
  writer_end(out, '}');
  pool_free(text);
}

/* Writes what the nodes of the chains by line are: a function, null if none
 * shows, and a line, 0 if it is not known.  Fills PLACES with those of which
 * both are, and gives back how many there are. */
static size_t
write_lines(struct writer *out, struct place *places)
{
  const struct view *lines = out->view->options->lines;
  size_t count = 0;
  const struct frame_table *frames = &lines->frames;
  /* by group: the page's node of the function that the line is in */
  uint32_t *of_group = pool_alloc(frames->function_count * sizeof *of_group);
  for (size_t i = 0; i < frames->function_count; i++)
    of_group[i] = INDEX_NONE;
  for (size_t i = 0; i < frames->frame_count; i++) {
    const struct frame *frame = &frames->frames[i];
    uint32_t name = frames->functions[frame->function].name;
    of_group[frame->shown] = out->view->tree.item_of[name];
  }
  for (size_t i = 0; i < lines->tree.item_count; i++) {
    const struct graph_node node = {.function =
                                        lines->tree.items[i].function};
    struct place place = {node_file(lines, &node), node_line(lines, &node)};
    uint32_t function =
        node.function == INDEX_NONE ? INDEX_NONE : of_group[node.function];
    bool known = function != INDEX_NONE;
    writer_begin(out, '{');
    put_optional(at(out, "function"), known,
                 known ? out->places[TO_FUNCTIONS][function] : 0);
    put_string(at(out, "file"), place.file);
    put_number(at(out, "line"), (uint64_t)place.line);
    writer_end(out, '}');
    if (known && place.line != 0)
      places[count++] = place;
  }
  return count;
}

void
page_write_lines(struct writer *out)
{
  const struct view_options *options = out->view->options;
  size_t left = MOST_TEXT;
  struct place *places = NULL;
  size_t count = 0;
  writer_begin(at(out, "lines"), '[');
  if (options->lines != NULL) {
    places = pool_zeroed(options->lines->tree.item_count, sizeof *places);
    count = write_lines(out, places);
  }
  writer_end(out, ']');
  array_sort(places, count, sizeof *places, compare_places);
  writer_begin(at(out, "sources"), '[');
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1;
         next < count && strcmp(places[i].file, places[next].file) == 0;)
      next++;
    if (!options->no_source)
      write_file(out, places + i, next - i, &left);
  }
  writer_end(out, ']');
}
