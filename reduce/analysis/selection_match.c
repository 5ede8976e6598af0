/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each regular expression is compiled once, and matched with each name. */

#include "analysis/selection_match.h"

#include "common/pprof_format.h"
#include "common/region_path.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiles EXPRESSION, the value of OPTION; false: nothing is to be freed. */
static bool
compile_regex(regex_t *regex, const char *expression, const char *option,
              struct mprof_error *error)
{
  int status = regcomp(regex, expression, REG_EXTENDED | REG_NOSUB);
  if (status == REG_ESPACE)
    return mprof_error_memory(error);
  if (status != 0) {
    char reason[128];
    regerror(status, regex, reason, sizeof reason);
    return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                           "--%s: '%s' is no regular expression: %s", option,
                           expression, reason);
  }
  return true;
}

static bool
found_in(const regex_t *regex, const char *text)
{
  return regexec(regex, text, 0, NULL, 0) == 0;
}

const char *
expression_option(enum expression expression)
{
  static const char *const names[EXPRESSION_COUNT] = {
      [EXPRESSION_FOCUS] = "focus",         [EXPRESSION_IGNORE] = "ignore",
      [EXPRESSION_HIDE] = "hide",           [EXPRESSION_SHOW] = "show",
      [EXPRESSION_SHOW_FROM] = "show-from",
  };
  return names[expression];
}

/* Notes which functions EXPRESSION matches; none when it is not given. */
static bool
match_functions(struct selection *selection, enum expression expression,
                struct mprof_error *error)
{
  const struct frame_table *frames = selection->frames;
  const char *value = selection->options.expressions[expression];
  unsigned char bit = (unsigned char)(1u << expression);
  bool any = false;
  regex_t regex;
  if (value == NULL)
    return true;
  if (!compile_regex(&regex, value, expression_option(expression), error))
    return false;
  for (size_t i = 0; i < frames->function_count; i++) {
    const char *file = function_file(frames, i);
    if (found_in(&regex, function_name(frames, i)) ||
        (!frames->functions[i].runtime && *file != '\0' &&
         found_in(&regex, file))) {
      selection->matches[i] |= bit;
      any = true;
    }
  }
  regfree(&regex);
  if (!any)
    selection->unmatched |= bit;
  return true;
}

/* Notes which threads --thread matches; all when it is not given. */
static bool
match_threads(struct selection *selection, struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  const char *expression = selection->options.thread;
  regex_t regex;
  if (expression != NULL &&
      !compile_regex(&regex, expression, "thread", error))
    return false;
  for (size_t t = 0; t < profile->thread_count; t++)
    selection->of_threads[t] =
        expression == NULL ||
        found_in(&regex, profile_thread_name(profile, t));
  if (expression != NULL)
    regfree(&regex);
  return true;
}

/* Notes of which regions --region matches the path, or that of a region
 * around it; all when it is not given. */
static bool
match_regions(struct selection *selection, struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  const char *expression = selection->options.region;
  bool *found = selection->of_regions;
  regex_t regex;
  if (expression != NULL &&
      !compile_regex(&regex, expression, "region", error))
    return false;
  bool good = true;
  for (size_t r = 0; r < profile->region_count; r++) {
    char *path = strdup(names_text(&profile->names, profile->regions[r]));
    good = good && path != NULL;
    found[r] = expression == NULL;
    while (path != NULL && !found[r] && *path != '\0') {
      found[r] = found_in(&regex, path);
      path[region_path_outer(path)] = '\0';
    }
    free(path);
  }
  if (expression != NULL)
    regfree(&regex);
  return good || mprof_error_memory(error);
}

/* Whether TEXT, up to a comma, is the name or the letter of CATEGORY. */
static bool
is_category(const char *text, enum language language, unsigned category)
{
  const char *name = category_name(language, category);
  const char *letter = category_letter(language, category);
  size_t length = strcspn(text, ",");
  return (length == strlen(name) && memcmp(text, name, length) == 0) ||
         (length == strlen(letter) && memcmp(text, letter, length) == 0);
}

/* Sets CHOSEN to which categories TEXT lists. */
static bool
choose_categories(const char *text, enum language language,
                  bool chosen[CATEGORY_COUNT], struct mprof_error *error)
{
  char known[128] = "";
  for (;;) {
    bool any = false;
    for (unsigned c = 0; c < CATEGORY_COUNT; c++)
      if (is_category(text, language, c))
        any = chosen[c] = true;
    size_t length = strcspn(text, ",");
    if (any && text[length] == '\0')
      return true;
    if (!any)
      break;
    text += length + 1;
  }
  for (unsigned c = 0; c < CATEGORY_COUNT; c++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s (%s)",
             c == 0                    ? ""
             : c + 1 == CATEGORY_COUNT ? " and "
                                       : ", ",
             category_name(language, c), category_letter(language, c));
  }
  return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                         "--category takes %s, not '%.*s'", known,
                         (int)strcspn(text, ","), text);
}

/* Notes which types --type and --category choose. */
static bool
match_types(struct selection *selection, struct mprof_error *error)
{
  const struct profile *profile = selection->profile;
  const struct selection_options *options = &selection->options;
  bool categories[CATEGORY_COUNT] = {false};
  regex_t regex;
  if (options->categories != NULL &&
      !choose_categories(options->categories, profile->language, categories,
                         error))
    return false;
  if (options->type != NULL &&
      !compile_regex(&regex, options->type, "type", error))
    return false;
  for (size_t t = 0; t < profile->type_count; t++) {
    const struct profile_type *type = &profile->types[t];
    selection->of_types[t] =
        (options->categories == NULL || categories[type->category]) &&
        (options->type == NULL ||
         found_in(&regex, names_text(&profile->names, type->type)) ||
         (type->class_name != 0 &&
          found_in(&regex, names_text(&profile->names, type->class_name))));
  }
  if (options->type != NULL)
    regfree(&regex);
  return true;
}

/* Notes which functions run profiled bodies, as comments say. */
static void
find_roots(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  for (size_t n = 0; n < profile->comment_count; n++) {
    const char *root = profile_comment_value(profile, n, PPROF_COMMENT_ROOT);
    for (size_t i = 0;
         root != NULL && i < selection->frames->function_count; i++) {
      const char *name = function_name(selection->frames, i);
      if (*name != '\0' && strcmp(name, root) == 0)
        selection->roots[i] = true;
    }
  }
}

/* Marks the samples that somebody else has chosen. */
static bool
mark_samples(struct selection *selection, struct mprof_error *error)
{
  const struct selection_options *options = &selection->options;
  size_t count = selection->profile->sample_count;
  for (size_t i = 0; i < options->sample_count; i++) {
    if (options->samples[i] >= count)
      return mprof_error_set(error, MPROF_USAGE, MPROF_NO_OFFSET,
                             "there is no sample %llu, there are %zu",
                             (unsigned long long)options->samples[i], count);
    selection->chosen[options->samples[i]] = true;
  }
  return true;
}

bool
selection_match(struct selection *selection, struct mprof_error *error)
{
  for (int i = 0; i < EXPRESSION_COUNT; i++)
    if (!match_functions(selection, (enum expression)i, error))
      return false;
  find_roots(selection);
  return match_threads(selection, error) &&
         match_regions(selection, error) &&
         (selection->of_types == NULL || match_types(selection, error)) &&
         (selection->chosen == NULL || mark_samples(selection, error));
}
