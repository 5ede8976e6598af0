/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line after the other; a block of valgrind's that says nothing here is
 * read and forgotten.
 */

#include "analysis/suppression_file.h"

#include "base/array.h"
#include "base/text_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
suppression_file_release(struct suppression_file *file)
{
  for (size_t i = 0; i < file->count; i++)
    pool_free(file->patterns[i]);
  for (size_t i = 0; i < file->frame_count; i++)
    pool_free(file->frames[i].text);
  pool_free(file->patterns);
  pool_free(file->chains);
  pool_free(file->frames);
}

/* ---- blocks of valgrind's ---------------------------------------------- */

/* What LINE says behind PREFIX; NULL: it begins otherwise. */
static const char *
behind(const char *line, const char *prefix)
{
  size_t length = strlen(prefix);
  return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

static bool
add_frame(struct suppression_file *file, enum frame_kind kind,
          const char *text)
{
  struct frame_pattern frame = {kind, text == NULL ? NULL : pool_text(text)};
  if ((text == NULL || frame.text != NULL) &&
      ARRAY_PUSH(file->frames, file->frame_count, file->frame_capacity,
                 frame)) {
    file->chains[file->chain_count - 1].count++;
    return true;
  }
  pool_free(frame.text);
  return false;
}

/* The same of its lines from the third on: a frame, or which leaks it is for.
 */
static bool
add_block_item(struct suppression_file *file, const char *line, bool *good)
{
  const char *text;
  if ((text = behind(line, "match-leak-kinds:")) != NULL) {
    file->ignored = file->ignored || (strstr(text, "definite") == NULL &&
                                      strstr(text, "all") == NULL);
    return true;
  }
  if (strcmp(line, "...") == 0)
    return add_frame(file, FRAME_ANY, NULL);
  if ((text = behind(line, "fun:")) != NULL)
    return add_frame(file, FRAME_FUNCTION, text);
  if ((text = behind(line, "obj:")) != NULL)
    return add_frame(file, FRAME_OBJECT, text);
  if (behind(line, "src:") != NULL)
    file->ignored = true; /* no chain has the line of its frames so */
  else
    *good = file->ignored; /* errors of other kinds have more */
  return true;
}

/* Forgets the block in hand. */
static void
drop_block(struct suppression_file *file)
{
  struct chain_pattern chain = file->chains[--file->chain_count];
  while (file->frame_count > chain.first)
    pool_free(file->frames[--file->frame_count].text);
}

/* Adds LINE of a block: "{", its name, its kind, what it is for, "}".  False
 * when memory runs out. */
static bool
add_block_line(struct suppression_file *file, const char *line, bool *good)
{
  size_t number = file->block_line++;
  if (number == 0) {
    file->ignored = false;
    return ARRAY_PUSH(file->chains, file->chain_count, file->chain_capacity,
                      (struct chain_pattern){file->frame_count, 0});
  }
  if (strcmp(line, "}") == 0) {
    if (file->ignored || file->chains[file->chain_count - 1].count == 0)
      drop_block(file);
    file->block_line = 0;
  } else if (number == 2) {
    const char *kind = strchr(line, ':');
    file->ignored = kind == NULL || strcmp(kind, ":Leak") != 0 ||
                    strstr(line, "emcheck") == NULL;
  } else if (number > 2) {
    return add_block_item(file, line, good);
  }
  return true;
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

/* Whether the chain from AT on begins with the COUNT frames at FRAME. */
static bool
matches_chain(const struct profile *profile, struct chain_frame at,
              const struct frame_pattern *frame, size_t count)
{
  for (; count > 0; frame++, count--) {
    if (frame->kind == FRAME_ANY) {
      while (!matches_chain(profile, at, frame + 1, count - 1)) {
        if (at.node == TREE_ROOT)
          return false;
        at = next_frame(profile, at);
      }
      return true;
    }
    if (at.node == TREE_ROOT || !matches_frame(profile, at, frame))
      return false;
    at = next_frame(profile, at);
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

/* Adds the pattern of LINE; sets *GOOD to whether it is a line of such a
 * file.  False when memory runs out. */
static bool
add_line(struct suppression_file *file, char *line, bool *good)
{
  static const char prefix[] = "leak:";
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (*line == '\0' || *line == '#')
    return true;
  if (file->block_line != 0 || strcmp(line, "{") == 0)
    return add_block_line(file, line, good);
  *good = strncmp(line, prefix, sizeof prefix - 1) == 0 &&
          line[sizeof prefix - 1] != '\0';
  if (!*good)
    return true;
  line += sizeof prefix - 1;
  bool anchored = *line == '^';
  return ARRAY_PUSH(
      file->patterns, file->count, file->capacity,
      pool_format("%s%s", anchored ? "" : "*", line + anchored));
}

/* Reads the file PATH. */
bool
suppression_file_read(struct suppression_file *suppressions, const char *path,
                      struct mprof_error *error)
{
  char *text = text_file_load(path);
  bool well = true; /* so is each line */
  size_t number = 0;
  for (char *line; well && text != NULL && *text != '\0'; number++) {
    line = strsep(&text, "\n");
    add_line(suppressions, line, &well);
  }
  if (!well || suppressions->block_line != 0)
    fail_with(MPROF_CANNOT_READ,
         "cannot read '%s': line %zu is not 'leak:PATTERN'", path, number);
  return true;
}
