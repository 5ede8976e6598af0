/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matching is that of pprof: the whole name, without the arguments that a
 * C++ name has, and without the dot in front that some linkers put there.
 */

#include "pprof/prune.h"

#include "base/array.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 16384, MOST_NESTING = 32 };

struct expressions { /* all zero: nothing to cut */
  bool active;
  bool has_keep;
  regex_t drop, keep;
};

enum outcome { READY, NOT_READABLE, NO_MEMORY };

/* The last character of the set of letters and digits that begins at OPEN;
 * NULL when it is another kind of set. */
static const char *
end_of_set(const char *open)
{
  const char *c = open + 1 + (open[1] == '^');
  size_t length = strspn(c, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
  return length > 0 && c[length] == ']' ? c + length : NULL;
}

/* Whether EXPRESSION means the same to RE2 and to POSIX, and costs little. */
static bool
is_common(const char *expression)
{
  size_t nesting = 0;
  for (const char *c = expression; *c != '\0'; c++) {
    if (*c == '\\') {
      c++;
      if (*c == '\0' || strchr(".[](){}*+?|^$/-_:~", *c) == NULL)
        return false;
    } else if (*c == '[') {
      c = end_of_set(c);
      if (c == NULL)
        return false;
    } else if (*c == '{' || (*c == '(' && c[1] == '?') ||
               (strchr("*+?", *c) != NULL &&
                (c == expression || strchr("*+?(|", c[-1]) != NULL))) {
      return false;
    } else if (*c == '(') {
      nesting++;
    } else if (*c == ')' && nesting-- == 0) {
      return false;
    }
    if (nesting > MOST_NESTING || c - expression > MOST_BYTES)
      return false;
  }
  return nesting == 0;
}

static enum outcome
compile_whole(regex_t *regex, const char *expression)
{
  if (!is_common(expression))
    return NOT_READABLE;
  size_t size = strlen(expression) + sizeof "^()$";
  char *whole = malloc(size);
  if (whole == NULL)
    return NO_MEMORY;
  snprintf(whole, size, "^(%s)$", expression);
  int status = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
  free(whole);
  return status == 0            ? READY
         : status == REG_ESPACE ? NO_MEMORY
                                : NOT_READABLE;
}

/* Prepares to match DROP and KEEP, "" when the file has none. */
static enum outcome
compile(struct expressions *expressions, const char *drop, const char *keep)
{
  memset(expressions, 0, sizeof *expressions);
  if (*drop == '\0')
    return READY;
  enum outcome outcome = compile_whole(&expressions->drop, drop);
  if (outcome != READY)
    return outcome;
  outcome =
      *keep == '\0' ? READY : compile_whole(&expressions->keep, keep);
  if (outcome != READY) {
    regfree(&expressions->drop);
    return outcome;
  }
  expressions->has_keep = *keep != '\0';
  expressions->active = true;
  return READY;
}

static void
release(struct expressions *expressions)
{
  if (!expressions->active)
    return;
  regfree(&expressions->drop);
  if (expressions->has_keep)
    regfree(&expressions->keep);
}

/* The length of NAME without arguments: up to the first parenthesis that is
 * no part of a name. */
static size_t
plain_length(const char *name)
{
  static const char *const parts[] = {"(anonymous namespace)", "operator()"};
  const char *c = name;
  while (*c != '\0') {
    size_t part = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
      if (strncmp(c, parts[i], strlen(parts[i])) == 0)
        part = strlen(parts[i]);
    if (part == 0 && *c == '(')
      break;
    c += part == 0 ? 1 : part;
  }
  return (size_t)(c - name);
}

/* Whether the function NAME is to be cut. */
static bool
matches(const struct expressions *expressions, const char *name)
{
  if (*name == '.')
    name++;
  char *plain = strndup(name, plain_length(name));
  if (plain == NULL)
    return false;
  bool found = *plain != '\0' &&
               regexec(&expressions->drop, plain, 0, NULL, 0) == 0 &&
               (!expressions->has_keep ||
                regexec(&expressions->keep, plain, 0, NULL, 0) != 0);
  free(plain);
  return found;
}

/* How many of LOCATION's innermost lines are to be cut off. */
static uint32_t
count_cut(const struct profile *profile,
          const struct expressions *expressions,
          const struct profile_location *location)
{
  for (uint32_t i = location->line_count; i > 0; i--) {
    uint32_t function = profile->lines[location->first_line + i - 1].function;
    if (function != INDEX_NONE &&
        matches(expressions, names_text(&profile->names,
                                        profile->functions[function].name)))
      return i;
  }
  return 0;
}

bool
profile_prune(struct profile *profile, uint32_t drop, uint32_t keep,
              struct mprof_error *error)
{
  struct expressions expressions;
  enum outcome outcome =
      compile(&expressions, names_text(&profile->names, drop),
              names_text(&profile->names, keep));
  if (outcome == NO_MEMORY)
    return mprof_error_memory(error);
  if (outcome == NOT_READABLE)
    profile->gaps.unread_drop++;
  for (size_t i = 0; expressions.active && i < profile->location_count; i++) {
    struct profile_location *location = &profile->locations[i];
    uint32_t cut = count_cut(profile, &expressions, location);
    if (cut == 0)
      continue;
    bool all = cut == location->line_count;
    location->mark = all ? PRUNE_ALL : PRUNE_BENEATH;
    location->cut_lines = all ? 0 : cut;
  }
  release(&expressions);
  return true;
}

bool
profile_find_ends(struct profile *profile)
{
  const struct tree *tree = &profile->tree;
  bool any = false;
  for (size_t i = 0; i < profile->location_count; i++)
    any = any || profile->locations[i].mark != PRUNE_NOTHING;
  if (!any)
    return true;
  uint32_t *ends = array_zeroed(tree->count, sizeof *ends);
  bool *cut = array_zeroed(tree->count, sizeof *cut);   /* below the node */
  bool *user = array_zeroed(tree->count, sizeof *user); /* on its chain */
  profile->ends = ends;
  bool good = ends != NULL && cut != NULL && user != NULL;
  for (size_t i = TREE_ROOT + 1; good && i < tree->count; i++) {
    uint32_t parent = tree->nodes[i].parent;
    enum prune_mark mark = profile->locations[tree->nodes[i].item].mark;
    bool prunes = mark != PRUNE_NOTHING && user[parent];
    ends[i] = cut[parent] || (prunes && mark == PRUNE_ALL) ? ends[parent]
                                                           : (uint32_t)i;
    cut[i] = cut[parent] || prunes;
    user[i] = user[parent] || mark == PRUNE_NOTHING;
  }
  free(cut);
  free(user);
  return good;
}
