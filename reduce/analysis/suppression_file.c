/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line after the other; a block of valgrind's that says nothing here is
 * read and forgotten.
 */

#include "analysis/suppression_file.h"

#include "base/array.h"
#include "base/text_file.h"

#include <fnmatch.h>
#include <string.h>

/* A file that is read; its patterns and frames are in its text. */
struct reading {
  struct suppression_file file;
  const char *path;
  size_t line;       /* number of the one in hand */
  size_t block_line; /* of the block in hand that is next; 0: in none */
  bool ignored;      /* it says nothing */
};

static _Noreturn void
refuse(const struct reading *reading)
{
  fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, reading->path,
            "cannot read '%s': line %zu is not 'leak:PATTERN'", reading->path,
            reading->line);
}

/* ---- blocks of valgrind's ---------------------------------------------- */

/* What LINE says behind PREFIX; NULL: it begins otherwise. */
static const char *
behind(const char *line, const char *prefix)
{
  size_t length = strlen(prefix);
  return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

static void
add_frame(struct suppression_file *file, enum frame_kind kind,
          const char *text)
{
  ARRAY_PUSH(file->frames, file->frame_count, file->frame_capacity,
             (struct frame_pattern){kind, text});
  file->chains[file->chain_count - 1].count++;
}

/* The same of its lines from the third on: a frame, or which leaks it is for.
 */
static void
add_block_item(struct reading *reading, const char *line)
{
  struct suppression_file *file = &reading->file;
  const char *text;
  if ((text = behind(line, "match-leak-kinds:")) != NULL) {
    if (strstr(text, "definite") == NULL && strstr(text, "all") == NULL)
      reading->ignored = true;
  } else if (strcmp(line, "...") == 0) {
    add_frame(file, FRAME_ANY, NULL);
  } else if ((text = behind(line, "fun:")) != NULL) {
    add_frame(file, FRAME_FUNCTION, text);
  } else if ((text = behind(line, "obj:")) != NULL) {
    add_frame(file, FRAME_OBJECT, text);
  } else if (behind(line, "src:") != NULL) {
    reading->ignored = true;      /* no chain has the line of its frames so */
  } else if (!reading->ignored) { /* errors of other kinds have more */
    refuse(reading);
  }
}

/* Adds LINE of a block: "{", its name, its kind, what it is for, "}". */
static void
add_block_line(struct reading *reading, const char *line)
{
  struct suppression_file *file = &reading->file;
  size_t number = reading->block_line++;
  if (number == 0) {
    reading->ignored = false;
    ARRAY_PUSH(file->chains, file->chain_count, file->chain_capacity,
               (struct chain_pattern){file->frame_count, 0});
  } else if (strcmp(line, "}") == 0) {
    const struct chain_pattern *chain = &file->chains[file->chain_count - 1];
    if (reading->ignored || chain->count == 0) {
      file->frame_count = chain->first;
      file->chain_count--;
    }
    reading->block_line = 0;
  } else if (number == 2) {
    const char *kind = strchr(line, ':');
    reading->ignored = kind == NULL || strcmp(kind, ":Leak") != 0 ||
                       strstr(line, "emcheck") == NULL;
  } else if (number > 2) {
    add_block_item(reading, line);
  }
}

/* Functions that a chain does not begin with, since they allocate. */
static bool
is_allocator(const struct frame_pattern *frame)
{
  static const char *const names[] = {"malloc",
                                      "calloc",
                                      "realloc",
                                      "reallocarray",
                                      "memalign",
                                      "posix_memalign",
                                      "valloc",
                                      "aligned_alloc",
                                      "_Znwm",
                                      "_Znam",
                                      "_ZnwmRKSt9nothrow_t",
                                      "_ZnamRKSt9nothrow_t",
                                      "_ZnwmSt11align_val_t",
                                      "_ZnamSt11align_val_t"};
  if (frame->kind == FRAME_OBJECT)
    return strstr(frame->text, "vgpreload") != NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (frame->kind == FRAME_FUNCTION &&
        fnmatch(frame->text, names[i], FNM_NOESCAPE) == 0)
      return true;
  return false;
}

/* A frame of a chain: line LINE of the location of NODE.  Behind the last one
 * NODE is the root. */
struct chain_frame {
  size_t node;
  uint32_t line;
};

static struct chain_frame
next_frame(const struct profile *profile, struct chain_frame at)
{
  const struct tree_node *node = &profile->tree.nodes[at.node];
  if (at.line + 1 < profile->locations[node->item].line_count)
    return (struct chain_frame){at.node, at.line + 1};
  return (struct chain_frame){node->parent, 0};
}

static bool
matches_frame(const struct profile *profile, struct chain_frame at,
              const struct frame_pattern *frame)
{
  const struct profile_location *l =
      &profile->locations[profile->tree.nodes[at.node].item];
  const struct profile_line *line = &profile->lines[l->first_line + at.line];
  uint32_t name = 0;
  if (frame->kind == FRAME_OBJECT && l->mapping != INDEX_NONE)
    name = profile->mappings[l->mapping].file;
  else if (frame->kind == FRAME_FUNCTION && l->line_count > 0 &&
           line->function != INDEX_NONE)
    name = profile->functions[line->function].system_name;
  return fnmatch(frame->text, names_text(&profile->names, name),
                 FNM_NOESCAPE) == 0;
}

/* Returns whether the chain from AT on begins with the COUNT frames at FRAME.
 * After a failure only the last "..." takes one frame more: those before it
 * took as few as there can be. */
static bool
matches_chain(const struct profile *profile, struct chain_frame at,
              const struct frame_pattern *frame, size_t count)
{
  const struct frame_pattern *const end = frame + count;
  const struct frame_pattern *behind = NULL; /* the last "..." */
  struct chain_frame from = at;              /* where it ends */
  while (frame < end) {
    if (frame->kind == FRAME_ANY) {
      behind = ++frame;
      from = at;
    } else if (at.node == TREE_ROOT) {
      return false;
    } else if (matches_frame(profile, at, frame)) {
      frame++;
      at = next_frame(profile, at);
    } else if (behind != NULL) {
      frame = behind;
      at = from = next_frame(profile, from);
    } else {
      return false;
    }
  }
  return true;
}

bool
suppression_file_has_chain(const struct suppression_file *file,
                           const struct profile *profile, size_t node)
{
  for (size_t i = 0; i < file->chain_count; i++) {
    const struct chain_pattern *chain = &file->chains[i];
    const struct frame_pattern *first = &file->frames[chain->first];
    size_t skipped = is_allocator(first);
    if (matches_chain(profile, (struct chain_frame){node, 0}, first + skipped,
                      chain->count - skipped))
      return true;
  }
  return false;
}

/* ---- lines ------------------------------------------------------------- */

/* Whether PATTERN matches TEXT from its beginning on, and to its end where it
 * ends in $. */
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

/* Adds what LINE says.  A pattern has a * in front, unless it is anchored. */
static void
add_line(struct reading *reading, char *line)
{
  struct suppression_file *file = &reading->file;
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (*line == '\0' || *line == '#')
    return;
  if (reading->block_line != 0 || strcmp(line, "{") == 0) {
    add_block_line(reading, line);
    return;
  }
  const char *pattern = behind(line, "leak:");
  if (pattern == NULL || *pattern == '\0')
    refuse(reading);
  ARRAY_PUSH(file->patterns, file->count, file->capacity,
             *pattern == '^' ? pattern + 1 : pool_format("*%s", pattern));
}

struct suppression_file
suppression_file_read(const char *path)
{
  struct reading reading = {.path = path};
  for (char *text = text_file_load(path); text != NULL && *text != '\0';) {
    reading.line++;
    add_line(&reading, strsep(&text, "\n"));
  }
  if (reading.block_line != 0)
    refuse(&reading);
  return reading.file;
}
