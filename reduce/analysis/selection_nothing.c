/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to say where the options choose nothing: the one whose value no name
 * matches, with the nearest name; where each matches something, all of them,
 * since together they leave nothing.
 */

#include "analysis/selection.h"
#include "base/sink.h"
#include "common/pprof_format.h"

#include <string.h>

/* Expressions that leave nothing when they match nothing. */
static const enum expression choosing[] = {
    EXPRESSION_FOCUS,  EXPRESSION_SHOW_FROM, EXPRESSION_THREAD,
    EXPRESSION_REGION, EXPRESSION_LABEL,     EXPRESSION_TYPE};
enum { CHOOSING_COUNT = sizeof choosing / sizeof choosing[0] };

const char *
selection_nearest(const struct selection *selection,
                  enum expression expression)
{
  const char *value = selection->options.expressions[expression];
  const char *text = value + (value[0] == '^');
  size_t length = strlen(text);
  length -= length > 0 && text[length - 1] == '$';
  struct suggestion meant = suggestion_for(text, length);
  const char *names[2];
  for (size_t i = 0; selection_item_names(selection, expression, i, names);
       i++) {
    if (*value != '\0' && strcmp(names[0], value) == 0)
      return "; ( and the like need a backslash in a regular expression";
    suggestion_offer(&meant, names[0]);
    suggestion_offer(&meant, names[1]);
  }
  return suggestion_text(&meant, "");
}

bool
selection_is_empty(const struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  bool chooses = options->expressions[EXPRESSION_IGNORE] != NULL ||
                 options->categories != NULL || options->samples != NULL ||
                 options->phases != 0 || selection_is_of_time(options);
  for (int i = 0; i < CHOOSING_COUNT; i++)
    chooses = chooses || options->expressions[choosing[i]] != NULL;
  return chooses && !figures_any(&selection->total);
}

/* Adds an option with its VALUE to the list at SINK, if it is given. */
static void
list_option(struct sink *sink, const char *option, const char *value)
{
  if (value != NULL)
    sink_format(sink, " --%s=%s", option, value);
}

void
selection_fail_empty(const struct selection *selection)
{
  const struct selection_options *options = &selection->options;
  const struct measure_row *counted = &measure_rows[options->counted];
  const char *ignored = options->expressions[EXPRESSION_IGNORE];
  const char *before = " --phase=";
  struct string_sink all;
  string_sink_init(&all);
  for (int i = 0; i < CHOOSING_COUNT; i++) {
    const char *option = expression_option(choosing[i]);
    const char *value = options->expressions[choosing[i]];
    if ((selection->unmatched >> choosing[i] & 1) != 0)
      fail_with(MPROF_NOTHING, "nothing matches --%s=%s%s", option, value,
                selection_nearest(selection, choosing[i]));
    list_option(&all.sink, option, value);
  }
  for (int i = 0; i < PHASE_COUNT; i++)
    if ((options->phases >> i & 1) != 0) {
      sink_format(&all.sink, "%s%s", before, phase_texts[i].word);
      before = ",";
    }
  list_option(&all.sink, "category", options->categories);
  list_option(&all.sink, "ignore", ignored);
  if ((options->from | options->to) != 0 &&
      profile_comment(selection->profile, PPROF_COMMENT_SLICE) == NULL)
    fail_with(
        MPROF_NOTHING,
        "--from and --to: the profile has no times; record them with %s",
        selection->profile->language == LANGUAGE_LISP
            ? "(mprof:start :timeline 1)"
            : "mprof run --timeline");
  if (options->from != 0)
    sink_format(&all.sink, " --from=%gs", (double)options->from / 1e9);
  if (options->to != 0)
    sink_format(&all.sink, " --to=%gs", (double)options->to / 1e9);
  if (options->at != 0)
    sink_format(&all.sink, " --at=%gs", (double)options->at / 1e9);
  list_option(&all.sink, "value",
              counted->what == NULL ? NULL : counted->word);
  const char *text = string_sink_text(&all);
  fail_with(MPROF_NOTHING, "nothing %s%s",
            ignored != NULL ? "is left by" : "matches",
            *text == '\0' ? " what was chosen" : text);
}
