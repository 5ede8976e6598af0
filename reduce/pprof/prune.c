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
 * small file take long.  So would a long expression or name: a compiled
 * expression keeps a state, of some kilobytes, for each character that leads
 * to a new one, which takes some microseconds.  It is compiled anew after so
 * many characters, each name is matched once, and of all names no more than
 * is in proportion to the file, where that is compressed.
 *
 * Matching is that of pprof: the whole name, without the arguments that a
 * C++ name has, and without the dot in front that some linkers put there.
 */

#include "pprof/reading.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1024, MOST_NESTING = 32 };
enum { MOST_MATCHED = 8192 }; /* characters, with one compilation */
enum { NAMES_FREE = 1 << 19 }; /* characters, besides one a byte of file */

/* Of each profile; there is no KEEP without DROP. */
enum { DROP, KEEP, EXPRESSIONS };

/* What is known of a name. */
enum verdict { VERDICT_NONE, VERDICT_STAYS, VERDICT_DROPS };

struct pruning {
  struct profile *profile;
  const char *texts[EXPRESSIONS];
  regex_t regexes[EXPRESSIONS];
  size_t count;   /* of expressions */
  size_t ready;   /* of these, compiled */
  size_t matched; /* characters, since then */
  uint64_t left;  /* characters that may still be */
  int status;     /* of regcomp; other than zero: it failed */
  unsigned char *verdicts; /* by name */
};

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

static void
release_expressions(struct pruning *pruning)
{
  while (pruning->ready > 0)
    regfree(&pruning->regexes[--pruning->ready]);
}

/* Compiles the expressions, which may be so already. */
static void
compile_expressions(struct pruning *pruning)
{
  release_expressions(pruning);
  pruning->matched = 0;
  while (pruning->status == 0 && pruning->ready < pruning->count) {
    pruning->status = compile(&pruning->regexes[pruning->ready],
                              pruning->texts[pruning->ready]);
    pruning->ready += pruning->status == 0;
  }
}

/* Whether the first LENGTH bytes of NAME match. */
static bool
matches(const regex_t *regex, const char *name, size_t length)
{
  regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)length};
  return regexec(regex, name, 1, &part, REG_STARTEND) == 0;
}

/* What becomes of functions called NAME. */
static enum verdict
judge(struct pruning *pruning, uint32_t name)
{
  const char *text = names_text(&pruning->profile->names, name);
  text += *text == '.';
  size_t length = plain_length(text);
  if (length > MOST_MATCHED || length > pruning->left)
    pruning->status = REG_BADPAT;
  else if (length > MOST_MATCHED - pruning->matched)
    compile_expressions(pruning);
  if (pruning->status != 0)
    return VERDICT_NONE;
  pruning->matched += length;
  pruning->left -= length;
  return length > 0 && matches(&pruning->regexes[DROP], text, length) &&
                 (pruning->count <= KEEP ||
                  !matches(&pruning->regexes[KEEP], text, length))
             ? VERDICT_DROPS
             : VERDICT_STAYS;
}

static void
judge_functions(struct pruning *pruning)
{
  const struct profile *profile = pruning->profile;
  for (size_t i = 0; pruning->status == 0 && i < profile->function_count;
       i++) {
    uint32_t name = profile->functions[i].name;
    if (pruning->verdicts[name] == VERDICT_NONE)
      pruning->verdicts[name] = (unsigned char)judge(pruning, name);
  }
}

/* How many of LOCATION's innermost lines are cut off. */
static uint32_t
count_cut(const struct pruning *pruning,
          const struct profile_location *location)
{
  const struct profile *profile = pruning->profile;
  for (uint32_t i = location->line_count; i > 0; i--) {
    uint32_t function = profile->lines[location->first_line + i - 1].function;
    if (function != INDEX_NONE &&
        pruning->verdicts[profile->functions[function].name] == VERDICT_DROPS)
      return i;
  }
  return 0;
}

static void
mark(const struct pruning *pruning)
{
  struct profile *profile = pruning->profile;
  for (size_t i = 0; i < profile->location_count; i++) {
    struct profile_location *location = &profile->locations[i];
    uint32_t cut = count_cut(pruning, location);
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
  const char *drop =
      names_text(&profile->names, reading->heading.drop_frames);
  const char *keep =
      names_text(&profile->names, reading->heading.keep_frames);
  struct pruning pruning = {.profile = profile,
                            .texts = {[DROP] = drop, [KEEP] = keep},
                            .count = *keep == '\0' ? 1 : 2,
                            .left = NAMES_FREE + reading->file.file_bytes};
  if (*drop == '\0')
    return true;
  pruning.verdicts =
      array_zeroed(profile->names.count, sizeof *pruning.verdicts);
  if (pruning.verdicts == NULL)
    return mprof_error_memory(reading->error);
  compile_expressions(&pruning);
  judge_functions(&pruning);
  release_expressions(&pruning);
  if (pruning.status == 0)
    mark(&pruning);
  else if (pruning.status != REG_ESPACE)
    profile->gaps.unread_drop++;
  free(pruning.verdicts);
  return pruning.status != REG_ESPACE || mprof_error_memory(reading->error);
}
