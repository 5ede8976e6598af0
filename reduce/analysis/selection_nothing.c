/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to say where the options choose nothing: the one whose value no name
 * matches, with the nearest name; where each matches something, all of them,
 * since together they leave nothing.
 */

#include "analysis/selection.h"

#include "base/sink.h"

#include <string.h>

/* Offers the names of the item I of those that an option chooses from. */
typedef void offer_item(struct suggestion *meant,
                        const struct selection *selection, size_t i);

/* An option that chooses. */
struct choice {
  const char *option, *value; /* NULL: it is not given */
  const bool *chosen;         /* of COUNT items; NULL: unknown by name */
  size_t count;
  offer_item *offer;
};

static void
offer_function(struct suggestion *meant, const struct selection *selection,
               size_t i)
{
  suggestion_offer_name(meant, function_name(selection->frames, i));
  suggestion_offer_name(meant, function_file(selection->frames, i));
}

static void
offer_thread(struct suggestion *meant, const struct selection *selection,
             size_t i)
{
  suggestion_offer_name(meant, profile_thread_name(selection->profile, i));
}

static void
offer_region(struct suggestion *meant, const struct selection *selection,
             size_t i)
{
  const struct profile *profile = selection->profile;
  suggestion_offer_name(meant,
                        names_text(&profile->names, profile->regions[i]));
}

static void
offer_type(struct suggestion *meant, const struct selection *selection,
           size_t i)
{
  const struct names *names = &selection->profile->names;
  const struct profile_type *type = &selection->profile->types[i];
  suggestion_offer_name(meant, names_text(names, type->type));
  suggestion_offer_name(meant, names_text(names, type->class_name));
}

/* The name that is nearest to the value of CHOICE, a regular expression. */
static struct suggestion_text
nearest(const struct selection *selection, const struct choice *choice)
{
  const char *text = choice->value + (choice->value[0] == '^');
  size_t length = strlen(text);
  length -= length > 0 && text[length - 1] == '$';
  struct suggestion meant = suggestion_for(text, length);
  for (size_t i = 0; i < choice->count; i++)
    choice->offer(&meant, selection, i);
  return suggestion_text(&meant, "");
}

static struct choice
choice_of_functions(const struct selection *selection,
                    enum expression expression)
{
  return (struct choice){expression_option(expression),
                         selection->options.expressions[expression],
                         selection->matches[expression],
                         selection->frames->function_count, offer_function};
}

struct suggestion_text
selection_nearest(const struct selection *selection,
                  enum expression expression)
{
  const struct choice choice = choice_of_functions(selection, expression);
  return nearest(selection, &choice);
}

bool
selection_is_empty(const struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  const char *const *expressions = options->expressions;
  return !figures_any(&selection->total) &&
         (expressions[EXPRESSION_FOCUS] != NULL ||
          expressions[EXPRESSION_IGNORE] != NULL ||
          expressions[EXPRESSION_SHOW_FROM] != NULL ||
          options->thread != NULL || options->region != NULL ||
          options->type != NULL || options->categories != NULL ||
          options->samples != NULL || options->phases != 0);
}

/* The words for PHASES, with commas between them. */
static const char *
phase_words(uint64_t phases, char words[64])
{
  char *end = words;
  if (phases == 0)
    return NULL;
  for (int i = 0; i < PHASE_COUNT; i++)
    if ((phases >> i & 1) != 0)
      end = stpcpy(stpcpy(end, end == words ? "" : ","), phase_texts[i].word);
  return words;
}

void
selection_fail_empty(const struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  const struct profile *profile = selection->profile;
  const struct measure_row *counted = &measure_rows[options->counted];
  char phases[64];
  const struct choice choices[] = {
      choice_of_functions(selection, EXPRESSION_FOCUS),
      choice_of_functions(selection, EXPRESSION_SHOW_FROM),
      {"thread", options->thread, selection->threads, profile->thread_count,
       offer_thread},
      {"region", options->region, selection->regions, profile->region_count,
       offer_region},
      {"type", options->type, selection->types, profile->type_count,
       offer_type},
      {.option = "phase", .value = phase_words(options->phases, phases)},
      {.option = "category", .value = options->categories},
      {.option = "ignore", .value = options->expressions[EXPRESSION_IGNORE]},
      {.option = "value",
       .value = counted->what == NULL ? NULL : counted->word},
  };
  const size_t count = sizeof choices / sizeof choices[0];
  struct string_sink all;
  for (size_t i = 0; i < count; i++)
    if (choices[i].chosen != NULL &&
        memchr(choices[i].chosen, true, choices[i].count) == NULL)
      fail_with(MPROF_NOTHING, "nothing matches --%s=%s%s", choices[i].option,
                choices[i].value, nearest(selection, &choices[i]).text);
  string_sink_init(&all);
  for (size_t i = 0; i < count; i++)
    if (choices[i].value != NULL)
      sink_format(&all.sink, " --%s=%s", choices[i].option, choices[i].value);
  const char *text = string_sink_text(&all);
  fail_with(MPROF_NOTHING, "nothing %s%s",
            options->expressions[EXPRESSION_IGNORE] != NULL ? "is left by"
                                                            : "matches",
            *text == '\0' ? " what was chosen" : text);
}
