/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions and files of code are matched once; then one pass from the root
 * of the tree to its leaves.
 */

#include "analysis/suppressions.h"

#include "base/array.h"
#include "base/input_file.h"

#include <string.h>

extern const char suppressions_text[]; /* suppressions.S */

/* ---- patterns ---------------------------------------------------------- */

/* What a pattern matches, and how a line of it begins. */
enum trait {
  TRAIT_USER = 1,    /* a function, its source file or a file of code */
  TRAIT_LIBRARY = 2, /* a file of code, without its folder: a library */
  TRAIT_LINKER = 4,  /* the same: the dynamic linker */
  TRAIT_KEEPER = 8,  /* a function in a library that keeps memory */
  TRAIT_ALWAYS = 16  /* the same, wherever its code is */
};

static const char *const keys[] = {
    "leak:", "library:", "linker:", "keeper:", "anywhere:"};
enum { KEYS = sizeof keys / sizeof keys[0] };

struct pattern {
  const char *text;
  unsigned trait;
};

/* Returns whether PATTERN matches TEXT from its beginning, and to its end if
 * it ends in $. */
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

/* Returns those of the traits WANTED of which a pattern matches TEXT. */
static unsigned
traits_of(const struct suppressions *list, const char *text, unsigned wanted)
{
  unsigned traits = 0;
  for (size_t i = 0; i < list->count; i++)
    if ((list->patterns[i].trait & wanted & ~traits) != 0 &&
        matches_here(list->patterns[i].text, text))
      traits |= list->patterns[i].trait;
  return traits;
}

/* Returns what of PATH names the file without its folder. */
static const char *
file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Adds the pattern of LINE to LIST.  That of a user has a "*" in front,
 * unless it is anchored.  Returns false if the line begins with none of the
 * first KEY_COUNT keys, or has no pattern. */
static bool
add_line(struct suppressions *list, char *line, size_t key_count)
{
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
    line[--length] = '\0';
  if (*line == '\0' || *line == '#')
    return true;
  for (unsigned key = 0; key < key_count; key++) {
    const size_t begin = strlen(keys[key]);
    if (strncmp(line, keys[key], begin) != 0 || line[begin] == '\0')
      continue;
    const char *pattern = line + begin;
    if (key == 0)
      pattern = *pattern == '^' ? pattern + 1 : pool_format("*%s", pattern);
    ARRAY_PUSH(list->patterns, list->count, list->capacity,
               (struct pattern){pattern, 1u << key});
    return true;
  }
  return false;
}

struct suppressions
suppressions_of_libraries(void)
{
  struct suppressions list = {0};
  for (char *text = pool_text(suppressions_text); text != NULL;)
    add_line(&list, strsep(&text, "\n"), KEYS);
  return list;
}

/* Adds the patterns of the file PATH to LIST.  Fails if it cannot be read, or
 * has another line. */
static void
add_file(struct suppressions *list, const char *path)
{
  size_t number = 0;
  for (char *text = text_file_load(path); text != NULL && *text != '\0';) {
    number++;
    if (!add_line(list, strsep(&text, "\n"), 1))
      fail_file(MPROF_CANNOT_READ, MPROF_NO_OFFSET, path,
                "cannot read '%s': line %zu is not 'leak:PATTERN'", path,
                number);
  }
}

bool
suppressions_know_library(const struct suppressions *list, const char *path)
{
  return traits_of(list, file_name(path), TRAIT_LIBRARY) != 0;
}

/* ---- chains ------------------------------------------------------------ */

/* Returns the traits of each location: those of the file of its code, and of
 * its functions. */
static unsigned char *
find_traits(const struct profile *profile, const struct suppressions *list)
{
  unsigned *functions =
      pool_zeroed(profile->function_count, sizeof(unsigned));
  unsigned *mappings = pool_zeroed(profile->mapping_count, sizeof(unsigned));
  unsigned char *traits = pool_zeroed(profile->location_count, 1);
  for (size_t i = 0; i < profile->mapping_count; i++) {
    const char *file = names_text(&profile->names, profile->mappings[i].file);
    mappings[i] =
        traits_of(list, file, TRAIT_USER) |
        traits_of(list, file_name(file), TRAIT_LIBRARY | TRAIT_LINKER);
  }
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct profile_function *f = &profile->functions[i];
    functions[i] =
        traits_of(list, names_text(&profile->names, f->name),
                  TRAIT_USER | TRAIT_ALWAYS | TRAIT_KEEPER) |
        traits_of(list, names_text(&profile->names, f->file), TRAIT_USER);
  }
  for (size_t i = 0; i < profile->location_count; i++) {
    const struct profile_location *l = &profile->locations[i];
    unsigned all = l->mapping == INDEX_NONE ? 0 : mappings[l->mapping];
    for (size_t j = 0; j < l->line_count; j++) {
      const uint32_t f = profile->lines[l->first_line + j].function;
      all |= f == INDEX_NONE ? 0 : functions[f];
    }
    traits[i] = (unsigned char)all;
  }
  return traits;
}

/* What is known of the end of a chain. */
enum state {
  STATE_LIBRARY = 1, /* in a library, called by a keeper or one in it, or by
                        the dynamic linker alone when a program begins */
  STATE_USER = 2
};

static unsigned
next_state(unsigned before, unsigned traits, bool first)
{
  bool library = (traits & TRAIT_LIBRARY) != 0;
  bool begins =
      (traits & TRAIT_KEEPER) != 0 || (first && (traits & TRAIT_LINKER) != 0);
  bool kept = library && (begins || (before & STATE_LIBRARY) != 0);
  return (kept || (traits & TRAIT_ALWAYS) != 0 ? STATE_LIBRARY : 0u) |
         ((before & STATE_USER) != 0 || (traits & TRAIT_USER) != 0
              ? STATE_USER
              : 0u);
}

/* Returns whether OPTIONS ask that nothing is suppressed. */
static bool
is_off(const struct view_options *options)
{
  return options->suppressions != NULL &&
         strcmp(options->suppressions, "none") == 0;
}

/* Adds the patterns of the file that OPTIONS name, if any, to LIST. */
static void
add_user_file(struct suppressions *list, const struct view_options *options)
{
  if (options->suppressions != NULL && !is_off(options))
    add_file(list, options->suppressions);
}

void
suppressions_check(const struct view_options *options)
{
  struct suppressions list = {0};
  add_user_file(&list, options);
}

bool *
suppressions_find(const struct profile *profile,
                  const struct view_options *options)
{
  struct suppressions list = {0};
  if (is_off(options))
    return NULL;
  if (profile->by_mprof && profile->language == LANGUAGE_C)
    list = suppressions_of_libraries();
  add_user_file(&list, options);
  if (list.count == 0)
    return NULL;
  const unsigned char *traits = find_traits(profile, &list);
  unsigned char *states = pool_zeroed(profile->tree.count, 1);
  bool *nodes = pool_zeroed(profile->tree.count, sizeof *nodes);
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    const struct tree_node *node = &profile->tree.nodes[i];
    states[i] = (unsigned char)next_state(
        states[node->parent], traits[node->item], node->parent == TREE_ROOT);
    nodes[i] = states[i] != 0;
  }
  pool_free(states);
  return nodes;
}
