/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames that a file itself wants to be left out.
 *
 * A profile of another program may carry two regular expressions,
 * drop_frames and keep_frames: what lies below a function that the first
 * matches and the second does not, and that function itself, are parts of
 * the allocator.  They do not show, as in pprof: the chain is gone through
 * from the root, and frames are left out only below a first one that stays,
 * so that no chain becomes empty (find_ends, profile.c).  Nothing is lost by
 * it: who writes the file anew writes all frames.
 *
 * pprof's expressions are RE2's; what both have in common is matched.  Where
 * an expression may be something else, it is not used, and the profile says
 * so: repetition counts, references back and deep nesting would also let a
 * small file take long.
 *
 * Matching is that of pprof: the whole name, without the arguments that a
 * C++ name has, and without the dot in front that some linkers put there.
 */

#include "pprof/reading.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 16384, MOST_NESTING = 32 };

/* Of each profile; there is no KEEP without DROP. */
enum { DROP, KEEP, EXPRESSIONS };

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

/* Compiles EXPRESSION for whole names: as regcomp, which gives back zero when
 * all is well. */
static int
compile(regex_t *regex, const char *expression)
{
  if (!is_common(expression))
    return REG_BADPAT;
  size_t size = strlen(expression) + sizeof "^()$";
  char *whole = malloc(size);
  if (whole == NULL)
    return REG_ESPACE;
  snprintf(whole, size, "^(%s)$", expression);
  int status = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
  free(whole);
  return status;
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

/* Whether the first LENGTH bytes of NAME match. */
static bool
matches(const regex_t *regex, const char *name, size_t length)
{
  regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)length};
  return regexec(regex, name, 1, &part, REG_STARTEND) == 0;
}

/* How many of LOCATION's innermost lines the COUNT expressions cut off. */
static uint32_t
count_cut(const struct profile *profile, const regex_t *regexes, size_t count,
          const struct profile_location *location)
{
  for (uint32_t i = location->line_count; i > 0; i--) {
    uint32_t function = profile->lines[location->first_line + i - 1].function;
    if (function == INDEX_NONE)
      continue;
    const char *name =
        names_text(&profile->names, profile->functions[function].name);
    name += *name == '.';
    size_t length = plain_length(name);
    if (length > 0 && matches(&regexes[DROP], name, length) &&
        (count <= KEEP || !matches(&regexes[KEEP], name, length)))
      return i;
  }
  return 0;
}

static void
mark(struct profile *profile, const regex_t *regexes, size_t count)
{
  for (size_t i = 0; i < profile->location_count; i++) {
    struct profile_location *location = &profile->locations[i];
    uint32_t cut = count_cut(profile, regexes, count, location);
    if (cut == 0)
      continue;
    bool all = cut == location->line_count;
    location->mark = all ? PRUNE_ALL : PRUNE_BENEATH;
    location->cut_lines = all ? 0 : cut;
  }
}

bool
reading_prune(struct reading *reading)
{
  struct profile *profile = reading->profile;
  const char *texts[EXPRESSIONS] = {
      [DROP] = names_text(&profile->names, reading->heading.drop_frames),
      [KEEP] = names_text(&profile->names, reading->heading.keep_frames)};
  regex_t regexes[EXPRESSIONS];
  size_t count = *texts[DROP] == '\0' ? 0 : *texts[KEEP] == '\0' ? 1 : 2;
  size_t ready = 0;
  int status = 0;
  while (ready < count &&
         (status = compile(&regexes[ready], texts[ready])) == 0)
    ready++;
  if (status != 0 && status != REG_ESPACE)
    profile->gaps.unread_drop++;
  else if (status == 0 && count > 0)
    mark(profile, regexes, count);
  while (ready > 0)
    regfree(&regexes[--ready]);
  return status != REG_ESPACE || mprof_error_memory(reading->error);
}
