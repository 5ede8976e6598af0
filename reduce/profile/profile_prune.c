/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matching is that of pprof: the whole name, without the arguments that a
 * C++ name has, and without the dot in front that some linkers put there.
 */

#include "profile/profile_prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16384, MOST_NESTING = 32 };

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

static enum prune_outcome
compile_whole(regex_t *regex, const char *expression)
{
  if (!is_common(expression))
    return PRUNE_NOT_READABLE;
  size_t size = strlen(expression) + sizeof "^()$";
  char *whole = malloc(size);
  if (whole == NULL)
    return PRUNE_NO_MEMORY;
  snprintf(whole, size, "^(%s)$", expression);
  int status = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
  free(whole);
  return status == 0            ? PRUNE_READY
         : status == REG_ESPACE ? PRUNE_NO_MEMORY
                                : PRUNE_NOT_READABLE;
}

enum prune_outcome
profile_prune_init(struct profile_prune *prune, const char *drop,
                   const char *keep)
{
  memset(prune, 0, sizeof *prune);
  if (*drop == '\0')
    return PRUNE_READY;
  enum prune_outcome outcome = compile_whole(&prune->drop, drop);
  if (outcome != PRUNE_READY)
    return outcome;
  outcome = *keep == '\0' ? PRUNE_READY : compile_whole(&prune->keep, keep);
  if (outcome != PRUNE_READY) {
    regfree(&prune->drop);
    return outcome;
  }
  prune->has_keep = *keep != '\0';
  prune->active = true;
  return PRUNE_READY;
}

void
profile_prune_release(struct profile_prune *prune)
{
  if (prune->active) {
    regfree(&prune->drop);
    if (prune->has_keep)
      regfree(&prune->keep);
  }
  memset(prune, 0, sizeof *prune);
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

bool
profile_prune_matches(const struct profile_prune *prune, const char *name)
{
  if (*name == '.')
    name++;
  char *plain = strndup(name, plain_length(name));
  if (plain == NULL)
    return false;
  bool matches =
      *plain != '\0' && regexec(&prune->drop, plain, 0, NULL, 0) == 0 &&
      (!prune->has_keep || regexec(&prune->keep, plain, 0, NULL, 0) != 0);
  free(plain);
  return matches;
}
