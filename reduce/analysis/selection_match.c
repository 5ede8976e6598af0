/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each regular expression is compiled once, and matched with each name. */

#include "analysis/selection.h"

#include "analysis/frames.h"
#include "base/array.h"
#include "base/pool.h"
#include "common/pprof_format.h"
#include "common/region_path.h"
#include "common/system_functions.h"

#include <locale.h>
#include <regex.h>
#include <string.h>

const char *
expression_option(enum expression expression)
{
  static const char *const names[EXPRESSION_COUNT] = {
      [EXPRESSION_FOCUS] = "focus",         [EXPRESSION_IGNORE] = "ignore",
      [EXPRESSION_HIDE] = "hide",           [EXPRESSION_SHOW] = "show",
      [EXPRESSION_SHOW_FROM] = "show-from", [EXPRESSION_THREAD] = "thread",
      [EXPRESSION_REGION] = "region",       [EXPRESSION_LABEL] = "label",
      [EXPRESSION_TYPE] = "type",
  };
  return names[expression];
}

/* Returns whether some part of the first LENGTH bytes of TEXT matches. */
static bool
is_found(const regex_t *regex, const char *text, size_t length)
{
#ifdef REG_STARTEND
  regmatch_t all = {.rm_so = 0, .rm_eo = (regoff_t)length};
  return regexec(regex, text, 0, &all, REG_STARTEND) == 0;
#else
  return regexec(regex, pool_text_part(text, length), 0, NULL, 0) == 0;
#endif
}

bool
selection_item_names(const struct selection *selection,
                     enum expression expression, size_t item,
                     const char *texts[2])
{
  const struct profile *profile = selection->profile;
  const struct names *names = &profile->names;
  size_t count = selection->frames->function_count;
  texts[0] = texts[1] = "";
  if (expression == EXPRESSION_THREAD) {
    count = profile->thread_count;
    if (item < count)
      texts[0] = profile_thread_name(profile, item);
  } else if (expression == EXPRESSION_TYPE) {
    count = profile->type_count;
    if (item < count) {
      texts[0] = names_text(names, profile->types[item].type);
      texts[1] = names_text(names, profile->types[item].class_name);
    }
  } else if (expression >= EXPRESSIONS_ON_FUNCTIONS) {
    count = profile->region_count;
    if (item < count)
      texts[0] = names_text(names, profile->regions[item]);
  } else if (item < count) {
    texts[0] = function_name(selection->frames, item);
    texts[1] = function_file(selection->frames, item);
  }
  return item < count;
}

/* Returns whether EXPRESSION, which is REGEX, matches ITEM with the names
 * TEXTS.  Functions of the runtime have no file that counts. */
static bool
matches_item(const struct selection *selection, enum expression expression,
             const regex_t *regex, size_t item, const char *const texts[2])
{
  size_t length = strlen(texts[0]);
  if (expression == EXPRESSION_REGION || expression == EXPRESSION_LABEL) {
    while (length > 0 && !is_found(regex, texts[0], length))
      length = region_path_outer(texts[0], length);
    return length > 0;
  }
  if (is_found(regex, texts[0], length))
    return true;
  length = strlen(texts[1]);
  return length > 0 &&
         (expression >= EXPRESSIONS_ON_FUNCTIONS ||
          !selection->frames->functions[item].runtime) &&
         is_found(regex, texts[1], length);
}

/* Returns whether TEXT has ASCII characters alone. */
static bool
is_ascii(const char *text)
{
  while (*text != '\0' && (unsigned char)*text < 128)
    text++;
  return *text == '\0';
}

/* Finds what EXPRESSION matches, if it is given.  Names are UTF-8, whatever
 * the locale of the program that this library is in; with ASCII alone any
 * locale will do, and regexec is faster in that of C. */
static void
choose(struct selection *selection, enum expression expression)
{
  const char *text = selection->options.expressions[expression];
  const char *names[2];
  size_t count = 0;
  bool any = false;
  regex_t regex;
  if (text == NULL)
    return;
  bool ascii = is_ascii(text);
  while (selection_item_names(selection, expression, count, names)) {
    ascii = ascii && is_ascii(names[0]) && is_ascii(names[1]);
    count++;
  }
  bool *chosen = pool_zeroed(count, sizeof *chosen);
  const char *whole =
      expression == EXPRESSION_LABEL ? pool_format("(^|;)(%s)$", text) : text;
  const locale_t utf8 =
      ascii ? (locale_t)0 : newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  const locale_t before = uselocale(utf8); /* none: no change */
  const int status = regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB);
  for (size_t i = 0; status == 0 && i < count; i++) { /* allocates nothing */
    selection_item_names(selection, expression, i, names);
    chosen[i] = matches_item(selection, expression, &regex, i, names);
    any |= chosen[i];
  }
  uselocale(before);
  if (utf8 != (locale_t)0)
    freelocale(utf8);
  if (status == REG_ESPACE)
    fail_memory();
  if (status != 0) {
    char reason[128];
    regerror(status, &regex, reason, sizeof reason);
    fail_with(MPROF_USAGE, "--%s: '%s' is not a regular expression: %s",
              expression_option(expression), text, reason);
  }
  regfree(&regex);
  selection->matches[expression] = chosen;
  if (!any)
    selection->unmatched |= 1u << expression;
}

/* Returns the category whose name or letter the first LENGTH bytes of WORD
 * are; CATEGORY_COUNT: none. */
static unsigned
category_of(enum language language, const char *word, size_t length)
{
  unsigned c = 0;
  for (; c < CATEGORY_COUNT; c++) {
    const char *name = category_rows[language][c].name;
    const char *letter = category_rows[language][c].letter;
    if ((length == strlen(name) && memcmp(word, name, length) == 0) ||
        (length == strlen(letter) && memcmp(word, letter, length) == 0))
      break;
  }
  return c;
}

/* Says that the first LENGTH bytes of WORD are no category of LANGUAGE. */
static _Noreturn void
refuse_category(enum language language, const char *word, size_t length)
{
#define CATEGORY(c)                                                          \
  category_rows[language][c].name, category_rows[language][c].letter
  struct suggestion meant = suggestion_for(word, length);
  for (unsigned c = 0; c < CATEGORY_COUNT; c++)
    suggestion_offer(&meant, category_rows[language][c].name);
  fail_with(MPROF_USAGE,
            "--category takes %s (%s), %s (%s), %s (%s) and %s (%s), "
            "not '%.*s'%s",
            CATEGORY(0), CATEGORY(1), CATEGORY(2), CATEGORY(3), (int)length,
            word, suggestion_text(&meant, ""));
}

/* Finds the categories that are listed in WORD, unless that is NULL. */
static void
choose_categories(struct selection *selection, const char *word)
{
  enum language language = selection->profile->language;
  while (word != NULL) {
    size_t length = strcspn(word, ",");
    unsigned category = category_of(language, word, length);
    if (category == CATEGORY_COUNT)
      refuse_category(language, word, length);
    selection->categories[category] = true;
    word = word[length] == '\0' ? NULL : word + length + 1;
  }
}

/* Notes which functions run profiled bodies, as comments say. */
static void
find_roots(struct selection *selection)
{
  const struct profile *profile = selection->profile;
  const struct frame_table *frames = selection->frames;
  bool *roots = pool_zeroed(frames->names.count, sizeof *roots);
  for (size_t n = 0; n < profile->comment_count; n++) {
    const char *root = profile_comment_value(profile, n, PPROF_COMMENT_ROOT);
    uint32_t name = root == NULL || *root == '\0'
                        ? NAMES_NONE
                        : names_find(&frames->names, root);
    if (name != NAMES_NONE)
      roots[name] = true;
  }
  for (size_t i = 0; i < frames->function_count; i++)
    if (roots[frames->functions[i].name])
      selection->has_root = selection->functions[i].root = true;
}

bool
is_placeholder(const char *text)
{
  return text[0] == '[' && text[strlen(text) - 1] == ']';
}

bool
is_function_name(const char *text)
{
  return *text != '\0' && !is_placeholder(text) &&
         strncmp(text, "0x", 2) != 0 && strcmp(text, "(OUT-OF-MEMORY)") != 0;
}

/* Finds what the options make of each function.  A C function is of the
 * program whatever it is called: so the monitor has it, too, which does not
 * know C names while it counts. */
static void
judge_functions(struct selection *selection)
{
  const struct frame_table *frames = selection->frames;
  const enum system_choice system = selection->options.system;
  const bool lisp = selection->profile->language == LANGUAGE_LISP;
  for (size_t i = 0; i < frames->function_count; i++) {
    const struct function *f = &frames->functions[i];
    const char *name = function_name(frames, i);
    const char *file = function_file(frames, i);
    struct function_choice *choice = &selection->functions[i];
    const bool hidden_kind =
        f->runtime || (!lisp && is_cxx_runtime(name, file))
            ? system != SYSTEM_SHOWN
            : lisp && system == SYSTEM_HIDDEN && !f->c &&
                  is_system_function(name, file);
    choice->hidden = hidden_kind ||
                     is_matched(selection, EXPRESSION_HIDE, i) ||
                     !is_chosen(selection, EXPRESSION_SHOW, i);
    choice->role =
        (unsigned char)(!lisp ? ROLE_NEUTRAL
                        : f->c && !f->runtime
                            ? ROLE_PROGRAM
                            : phase_role_of(name, file, f->runtime));
    choice->named = is_function_name(name);
  }
}

/* Lets samples count: all, or those that somebody else has chosen. */
static void
choose_samples(struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  size_t count = selection->profile->sample_count;
  memset(selection->kept, options->samples == NULL ? KEPT_ALL : KEPT_CALLS,
         count);
  for (size_t i = 0; i < options->sample_count; i++) {
    if (options->samples[i] >= count)
      fail_with(MPROF_USAGE, "there is no sample %llu; the profile has %zu",
                (unsigned long long)options->samples[i], count);
    selection->kept[options->samples[i]] = KEPT_ALL;
  }
}

void
selection_match(struct selection *selection, const struct profile *profile,
                const struct frame_table *frames,
                const struct selection_options *options)
{
  *selection = (struct selection){
      .profile = profile,
      .frames = frames,
      .options = *options,
      .functions =
          pool_zeroed(frames->function_count, sizeof *selection->functions),
      .kept = pool_zeroed(profile->sample_count, 1),
  };
  for (int i = 0; i < EXPRESSION_COUNT; i++)
    choose(selection, (enum expression)i);
  judge_functions(selection);
  find_roots(selection);
  choose_categories(selection, selection->options.categories);
  choose_samples(selection);
}
