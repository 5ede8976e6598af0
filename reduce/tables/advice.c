/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to change: each piece of advice in full, as `mprof advise' prints it;
 * the first ones as lines of a report; all of them as data.
 */

#include "advice/advice.h"

#include "base/input_file.h"
#include "base/quote.h"
#include "tables/report.h"
#include "tables/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  LINES_OF_REPORT = 3,
  MANY_SIZES = 8, /* are told: what is copied may grow from call to call */
  SOURCE_TEXT_BYTES = 120
};

static const struct column columns[] = {
    {OWN(RULE_NAME), .keys = KEY("rule"), .first = true},
    {CONTENT(NAME), .keys = KEY("function"), .first = true},
    {OWN(RULE_GRADE), .keys = KEY("grade")},
    {FIELD(NUMBER, struct advice, saved), .keys = KEY("saved_bytes")},
    ALL_COUNTS,
    ALL_MORE,
    {CONTENT(CALLS), .keys = KEY("calls")},
    {FIELD(NUMBER, struct advice, objects), .keys = KEY("objects")},
    {FIELD(TEXT, struct advice, called), .keys = KEY("called")},
    {FIELD(TEXT, struct advice, caller), .keys = KEY("caller")},
    {FIELD(TEXT, struct advice, file), .keys = KEY("file")},
    {FIELD(OPTIONAL, struct advice, line), .keys = KEY("line")},
    {OWN(RULE_FAULT), .keys = KEY("fault")},
    {OWN(RULE_REMEDY), .keys = KEY("remedy")},
    {OWN(RULE_EXAMPLE), .keys = KEY("example")},
    {OWN(RULE_UNKNOWN), .keys = KEY("unknown")},
};

/* ---- as data ---- */

static void
init(struct listing *listing)
{
  advice_list_init(listing->context, listing->view);
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct advice_list *list = listing->context;
  if (item == list->count)
    return false;
  row->data = &list->items[item];
  row->figures = &list->items[item].figures;
  row->calls = list->items[item].calls;
  row->name = list->items[item].function;
  return true;
}

/* Puts what the rule says into OUT; ID is an enum rule_key. */
static void
cell(const struct listing *listing, const struct ranking_row *row, int id,
     struct writer *out)
{
  const struct advice *advice = row->data;
  (void)listing;
  (id == RULE_GRADE ? put_keyword : put_text)(out, advice->rule->values[id]);
}

const struct table advice_table = {
    .in_place = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .context_bytes = sizeof(struct advice_list),
    .init = init,
};

/* ---- as text ---- */

/* Writes how many objects there are, in how many calls, how large, for whom.
 */
static void
write_counts(const struct advice *advice, struct sink *sink)
{
  const struct figures *figures = &advice->figures;
  uint64_t objects = advice->objects != 0 ? advice->objects : figures->allocs;
  sink_format(sink, "   %" PRIu64 " %s", objects,
              advice->rule->values[RULE_OBJECTS]);
  if (objects != figures->allocs)
    sink_format(sink, " in %" PRIu64 " allocations", figures->allocs);
  sink_format(sink, ", %" PRIu64 " bytes", figures->bytes);
  if (objects > 1 && advice->sizes == 1 && !advice->larger &&
      figures->bytes % objects == 0)
    sink_format(sink, ", %" PRIu64 " each", figures->bytes / objects);
  if (advice->sizes >= MANY_SIZES)
    sink_format(sink,
                ", of %" PRIu64 " sizes from %" PRIu64 " to %" PRIu64
                " bytes%s",
                advice->sizes, advice->least, advice->most,
                advice->larger ? " and larger" : "");
  if (advice->calls != CALLS_UNKNOWN && advice->calls > 0)
    sink_format(sink, ", in %s", report_count(advice->calls, "call"));
  if (advice->caller != NULL) {
    sink_text(sink, ", mostly for ");
    escape_name(sink, advice->caller, "");
  }
  sink_text(sink, "\n");
}

/* Writes line NUMBER, counted from 1, of the regular file PATH, without
 * blanks at its ends, cut where it is too long; nothing if there is no such
 * line. */
static void
write_source(const char *path, int64_t number, struct sink *sink)
{
  enum { MOST_BYTES = 1 << 26 };
  static const char blanks[] = " \t\r\n\f";
  struct stat status;
  char *whole = text_file_read_regular(path, MOST_BYTES, NULL, &status);
  char *rest = whole;
  for (int64_t i = 1; rest != NULL && i < number; i++)
    strsep(&rest, "\n");
  if (number > 0 && rest != NULL && *rest != '\0') {
    char *text = strsep(&rest, "\n");
    text += strspn(text, " \t\f");
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
      length--;
    text[utf8_cut(text, length, SOURCE_TEXT_BYTES - 1)] = '\0';
    sink_format(sink, "     %" PRId64 " | ", number);
    escape_name(sink, text, "");
    sink_text(sink, "\n");
  }
  pool_free(whole);
}

/* Writes what to change, with an example, and what is not known of it. */
static void
write_words(const struct rule *rule, size_t indent, struct sink *sink)
{
  report_indented(sink, rule->values[RULE_REMEDY], indent);
  if (*rule->values[RULE_EXAMPLE] != '\0')
    report_indented(sink, rule->values[RULE_EXAMPLE], indent + 2);
  if (*rule->values[RULE_UNKNOWN] != '\0')
    report_indented(sink,
                    pool_format("Not known: %s.", rule->values[RULE_UNKNOWN]),
                    indent);
}

/* Writes the line that each piece of advice begins with: how many bytes are
 * saved, and by which function. */
static void
write_headline(const struct view *view, const struct advice *advice,
               struct sink *sink)
{
  char share[3];
  share_text(share, advice->saved, view->selection.total.bytes);
  bool all = share[0] == '*', least = share[1] == '.';
  sink_format(sink, "%s%" PRIu64 " bytes, %s %%: ",
              rule_says(advice->rule, RULE_GRADE, "certain") ? "saves "
                                                             : "saves up to ",
              advice->saved,
              all     ? "100"
              : least ? "less than 1"
                      : share + (share[0] == ' '));
  escape_name(sink, advice->function, "");
  sink_format(sink, " %s\n", advice->rule->values[RULE_FAULT]);
}

static void
write_advice(const struct view *view, const struct advice *advice,
             size_t number, struct sink *sink)
{
  sink_text(sink, "\n");
  sink_style(sink, STYLE_STRONG);
  sink_format(sink, "%zu. ", number);
  write_headline(view, advice, sink);
  sink_style(sink, STYLE_PLAIN);
  sink_format(sink, "   %s, %s; ", advice->rule->values[RULE_NAME],
              advice->rule->values[RULE_GRADE]);
  escape_name(
      sink, *advice->file == '\0' ? "source file unknown" : advice->file, "");
  if (advice->line != 0)
    sink_format(sink, ":%" PRId64, advice->line);
  sink_text(sink, "\n");
  write_counts(advice, sink);
  write_source(advice->file, advice->line, sink);
  write_words(advice->rule, 3, sink);
}

/* Writes the first of LIST, as many as the options want. */
static void
write_list(const struct view *view, const struct advice_list *list,
           struct sink *sink)
{
  const struct view_options *options = view->options;
  uint64_t total = view->selection.total.bytes, left_out = 0;
  size_t shown = 0;
  for (size_t i = 0; i < list->count; i++)
    if (shown < options->limit &&
        share_reached(list->items[i].saved, total, options->min_share))
      write_advice(view, &list->items[i], ++shown, sink);
    else
      left_out += list->items[i].saved;
  if (shown < list->count)
    sink_format(sink,
                "\nLeft out: %zu more, saving up to %" PRIu64 " bytes%s.\n",
                list->count - shown, left_out,
                options->limit == SIZE_MAX ? "; --verbose shows them" : "");
}

void
report_advice(const struct view *view, struct sink *sink)
{
  struct advice_list list;
  advice_list_init(&list, view);
  report_unattributed(view, sink);
  report_summary(view, sink);
  if (!advice_applies(view))
    sink_text(sink, "\nThe rules of advice are for Lisp programs only.\n");
  else if (list.count == 0)
    sink_text(sink, "\nNo rule found anything to change.\n");
  else
    write_list(view, &list, sink);
  if (list.count > 0)
    report_legend_text(
        view, sink,
        "Change one thing, profile into another file, and compare the two "
        "with `mprof diff OLD NEW'. 'certain' figures follow from the "
        "counts; 'check' figures are upper limits. `mprof help advise' lists "
        "the rules.");
}

/* Writes a line for each of the first pieces that save enough to be shown. */
void
report_first_advice(const struct view *view, struct sink *sink)
{
  uint64_t total = view->selection.total.bytes;
  struct advice_list list;
  advice_list_init(&list, view);
  for (size_t i = 0; i < list.count && i < LINES_OF_REPORT; i++) {
    if (!share_reached(list.items[i].saved, total, view->options->min_share))
      break;
    if (i == 0)
      report_heading(sink, "ADVICE");
    sink_text(sink, "  ");
    write_headline(view, &list.items[i], sink);
  }
  if (list.count > 0)
    report_legend_text(view, sink,
                       "`mprof advise' prints all advice, with what to "
                       "change and where.");
}

void
report_advice_rules(struct sink *sink)
{
  struct rule_list list;
  rule_list_init(&list, NULL);
  sink_text(sink,
            "\nRules; the first that holds for an allocation claims it:\n");
  for (size_t i = 0; i < list.count; i++) {
    const char *const *values = list.items[i].values;
    if (*values[RULE_NAME] == '\0')
      continue;
    sink_format(sink, "  %s (%s)\n    a function that %s\n",
                values[RULE_NAME], values[RULE_GRADE], values[RULE_FAULT]);
    write_words(&list.items[i], 4, sink);
  }
}
