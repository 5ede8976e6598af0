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
  MOST_DEFINITIONS = 10,
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

/* Writes the line that the COUNT pieces about a definition begin with: how
 * many bytes they save, and the fault of the first. */
static void
write_headline(const struct view *view, const struct advice *first,
               size_t count, struct sink *sink)
{
  char share[3];
  share_text(share, first->all_saved, view->selection.total.bytes);
  bool all = share[0] == '*', least = share[1] == '.', certain = true;
  bool alike = true;
  for (size_t i = 0; i < count; i++) {
    certain = certain && rule_says(first[i].rule, RULE_GRADE, "certain");
    alike = alike && first[i].rule == first->rule;
  }
  sink_format(sink, "%s%" PRIu64 " bytes, %s %%: ",
              certain ? "saves " : "saves up to ", first->all_saved,
              all     ? "100"
              : least ? "less than 1"
                      : share + (share[0] == ' '));
  escape_name(sink, first->definition, "");
  sink_format(sink, " %s%s\n", first->rule->values[RULE_FAULT],
              alike ? "" : ", and more");
}

/* Writes a piece, one of several if LAST is not NULL: then the one written
 * before it, or itself. */
static void
write_advice(const struct advice *advice, const struct advice *last,
             struct sink *sink)
{
  sink_text(sink, "   ");
  if (last != NULL)
    sink_format(sink, "%" PRIu64 " of these bytes: ", advice->saved);
  sink_format(sink, "%s, %s; ", advice->rule->values[RULE_NAME],
              advice->rule->values[RULE_GRADE]);
  escape_name(
      sink, *advice->file == '\0' ? "source file unknown" : advice->file, "");
  if (advice->line != 0)
    sink_format(sink, ":%" PRId64, advice->line);
  sink_text(sink, "\n");
  write_counts(advice, sink);
  if (last == NULL || last == advice || last->line != advice->line)
    write_source(advice->file, advice->line, sink);
}

/* Writes that COUNT pieces, which save BYTES, were left out, if any. */
static void
write_left_out(size_t count, uint64_t bytes, const char *after,
               struct sink *sink)
{
  if (count > 0)
    sink_format(sink, "and %zu smaller, together %" PRIu64 " bytes%s.\n",
                count, bytes, after);
}

/* Writes the pieces about a definition, from FIRST to END, that save enough
 * to be shown; always the first.  The remedy is said once for each rule. */
static void
write_definition(const struct view *view, const struct advice *first,
                 const struct advice *end, struct sink *sink)
{
  const uint64_t total = view->selection.total.bytes;
  const struct advice *last = end > first + 1 ? first : NULL;
  uint64_t left_out = 0;
  size_t smaller = 0;
  write_headline(view, first, (size_t)(end - first), sink);
  sink_style(sink, STYLE_PLAIN);
  for (const struct advice *advice = first; advice < end; advice++) {
    bool said = false;
    if (advice > first &&
        !share_reached(advice->saved, total, view->options->min_share)) {
      left_out += advice->saved;
      smaller++;
      continue;
    }
    write_advice(advice, last, sink);
    if (last != NULL)
      last = advice;
    for (const struct advice *other = first; other < advice; other++)
      said = said || other->rule == advice->rule;
    if (!said)
      write_words(advice->rule, 3, sink);
  }
  if (smaller > 0)
    sink_text(sink, "   ");
  write_left_out(smaller, left_out, "", sink);
}

/* Writes the first of LIST, as many as the options want. */
static void
write_list(const struct view *view, const struct advice_list *list,
           struct sink *sink)
{
  const struct view_options *options = view->options;
  const size_t limit = options->limit == SIZE_MAX && options->min_share > 0
                           ? MOST_DEFINITIONS
                           : options->limit;
  size_t shown = 0, smaller = 0;
  uint64_t left_out = 0;
  for (size_t i = 0, end; i < list->count; i = end) {
    const struct advice *first = &list->items[i];
    end = advice_group_end(list, i);
    if (shown < limit &&
        share_reached(first->all_saved, view->selection.total.bytes,
                      options->min_share)) {
      sink_text(sink, "\n");
      sink_style(sink, STYLE_STRONG);
      sink_format(sink, "%zu. ", ++shown);
      write_definition(view, first, &list->items[end], sink);
    } else {
      left_out += first->all_saved;
      smaller += end - i;
    }
  }
  if (smaller > 0)
    sink_text(sink, "\n");
  write_left_out(smaller, left_out,
                 options->limit == SIZE_MAX ? "; --verbose shows them" : "",
                 sink);
}

void
report_advice(const struct view *view, struct sink *sink)
{
  struct advice_list list;
  advice_list_init(&list, view);
  advice_list_group(&list);
  report_unattributed(view, sink);
  if (!report_summary(view, sink))
    return;
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
  advice_list_group(&list);
  size_t lines = 0;
  for (size_t i = 0, end; i < list.count && lines < LINES_OF_REPORT;
       i = end, lines++) {
    const struct advice *first = &list.items[i];
    end = advice_group_end(&list, i);
    if (!share_reached(first->all_saved, total, view->options->min_share))
      break;
    if (i == 0)
      report_heading(sink, "ADVICE");
    sink_text(sink, "  ");
    write_headline(view, first, end - i, sink);
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
