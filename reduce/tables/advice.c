/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to change: each piece of advice in full, as `mprof advise' prints it;
 * the first ones as lines of a report; all of them as data.
 */

#include "advice/advice.h"

#include "base/quote.h"
#include "base/source_text.h"
#include "tables/report.h"
#include "tables/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
  LINES_OF_REPORT = 3,
  MANY_SIZES = 8 /* are told: what is copied may grow from call to call */
};

enum id {
  RULE,
  GRADE,
  SAVED,
  CALLS,
  OBJECTS,
  CALLED,
  CALLER,
  SOURCE_FILE,
  SOURCE_LINE,
  FAULT,
  REMEDY,
  EXAMPLE,
  UNKNOWN
};

static const struct column columns[] = {
    {.id = RULE, .keys = KEY("rule"), .first = true},
    {.content = CONTENT_NAME, .keys = KEY("function"), .first = true},
    {.id = GRADE, .keys = KEY("grade")},
    {.id = SAVED, .keys = KEY("saved_bytes")},
    ALL_COUNTS,
    ALL_MORE,
    {.id = CALLS, .keys = KEY("calls")},
    {.id = OBJECTS, .keys = KEY("objects")},
    {.id = CALLED, .keys = KEY("called")},
    {.id = CALLER, .keys = KEY("caller")},
    {.id = SOURCE_FILE, .keys = KEY("file")},
    {.id = SOURCE_LINE, .keys = KEY("line")},
    {.id = FAULT, .keys = KEY("fault")},
    {.id = REMEDY, .keys = KEY("remedy")},
    {.id = EXAMPLE, .keys = KEY("example")},
    {.id = UNKNOWN, .keys = KEY("unknown")},
};

static const char *
grade_name(enum grade grade)
{
  return grade == GRADE_CERTAIN ? "certain" : "check";
}

/* ---- as data ---- */

static bool
init(struct view *view)
{
  return advice_list_init(view->context, view->reduction);
}

static void
release(void *context)
{
  advice_list_release(context);
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct advice_list *list = view->context;
  if (item == list->count)
    return false;
  row->figures = &list->items[item].figures;
  row->name =
      function_name(&view->reduction->frames, list->items[item].culprit);
  return true;
}

static struct cell
function_cell(const struct reduction *reduction, uint32_t function)
{
  return function == INDEX_NONE
             ? cell_optional(false, 0)
             : cell_text(function_name(&reduction->frames, function));
}

static struct cell
cell(const struct view *view, const struct ranking_row *row, int id)
{
  const struct reduction *reduction = view->reduction;
  const struct advice_list *list = view->context;
  const struct advice *advice = &list->items[row->item];
  int64_t line = advice_line(reduction, advice);
  switch ((enum id)id) {
  case RULE:
    return cell_text(advice->rule->name);
  case GRADE:
    return (struct cell){.kind = view->form == FORM_LISP ? CELL_KEYWORD
                                                         : CELL_TEXT,
                         .text = grade_name(advice->rule->grade)};
  case SAVED:
    return cell_number(advice->saved);
  case CALLS:
    return cell_calls(advice->calls);
  case OBJECTS:
    return cell_number(advice->objects);
  case CALLED:
    return function_cell(reduction, advice->called);
  case CALLER:
    return function_cell(reduction, advice->caller);
  case SOURCE_FILE:
    return cell_text(advice_file(reduction, advice));
  case SOURCE_LINE:
    return cell_optional(line != 0, (uint64_t)line);
  case FAULT:
    return cell_text(advice->rule->fault);
  case REMEDY:
    return cell_text(advice->rule->remedy);
  case EXAMPLE:
    return cell_text(advice->rule->example);
  default:
    return cell_text(advice->rule->unknown == NULL ? ""
                                                   : advice->rule->unknown);
  }
}

const struct table advice_table = {
    .in_place = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .context_bytes = sizeof(struct advice_list),
    .init = init,
    .release = release,
};

/* ---- as text ---- */

/* Where it is: "foo.lisp:12". */
static void
write_place(const struct reduction *reduction, const struct advice *advice,
            struct sink *sink)
{
  const char *file = advice_file(reduction, advice);
  int64_t line = advice_line(reduction, advice);
  sink_text(sink, *file == '\0' ? "source file unknown" : "");
  escape_name(sink, file, "");
  if (line != 0)
    sink_format(sink, ":%" PRId64, line);
}

/* How many objects, in how many calls, how large, for whom. */
static void
write_counts(const struct reduction *reduction, const struct advice *advice,
             struct sink *sink)
{
  const struct figures *figures = &advice->figures;
  uint64_t objects = advice->objects != 0 ? advice->objects : figures->allocs;
  sink_format(sink, "   %" PRIu64 " %s", objects, advice->rule->objects);
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
    sink_format(sink, ", in %" PRIu64 " call%s", advice->calls,
                advice->calls == 1 ? "" : "s");
  if (advice->caller != INDEX_NONE) {
    sink_text(sink, ", mostly for ");
    escape_name(sink, function_name(&reduction->frames, advice->caller), "");
  }
  sink_text(sink, "\n");
}

static void
write_source(const struct reduction *reduction, const struct advice *advice,
             struct sink *sink)
{
  char text[SOURCE_TEXT_BYTES];
  int64_t line = advice_line(reduction, advice);
  if (line == 0 || !source_text(advice_file(reduction, advice), line, text))
    return;
  sink_format(sink, "     %" PRId64 " | ", line);
  escape_name(sink, text, "");
  sink_text(sink, "\n");
}

static void
write_unknown(const struct advice_rule *rule, size_t indent,
              struct sink *sink)
{
  if (rule->unknown == NULL)
    return;
  struct string_sink text;
  string_sink_init(&text);
  sink_format(&text.sink, "Not known: %s.", rule->unknown);
  report_indented(sink, string_sink_for(&text, sink), indent);
  string_sink_release(&text);
}

/* What is saved, by whom: the line that each piece of advice begins with. */
static void
write_headline(const struct reduction *reduction, const struct advice *advice,
               struct sink *sink)
{
  char share[3];
  share_text(share, advice->saved, reduction->selection.total.bytes);
  bool all = share[0] == '*', least = share[1] == '.';
  sink_format(sink, "%s%" PRIu64 " bytes, %s %%: ",
              advice->rule->grade == GRADE_CERTAIN ? "saves "
                                                   : "saves up to ",
              advice->saved,
              all     ? "100"
              : least ? "less than 1"
                      : share + (share[0] == ' '));
  escape_name(sink, function_name(&reduction->frames, advice->culprit), "");
  sink_format(sink, " %s\n", advice->rule->fault);
}

static void
write_advice(const struct reduction *reduction, const struct advice *advice,
             size_t number, struct sink *sink)
{
  sink_text(sink, "\n");
  sink_style(sink, STYLE_STRONG);
  sink_format(sink, "%zu. ", number);
  write_headline(reduction, advice, sink);
  sink_style(sink, STYLE_PLAIN);
  sink_format(sink, "   %s, %s; ", advice->rule->name,
              grade_name(advice->rule->grade));
  write_place(reduction, advice, sink);
  sink_text(sink, "\n");
  write_counts(reduction, advice, sink);
  write_source(reduction, advice, sink);
  report_indented(sink, advice->rule->remedy, 3);
  report_indented(sink, advice->rule->example, 5);
  write_unknown(advice->rule, 3, sink);
}

/* Writes the first of LIST, as many as the options want. */
static void
write_list(const struct reduction *reduction, const struct advice_list *list,
           struct sink *sink)
{
  const struct view_options *options = reduction->options;
  uint64_t total = reduction->selection.total.bytes, left_out = 0;
  size_t shown = 0;
  for (size_t i = 0; i < list->count; i++)
    if (shown < options->limit &&
        share_reached(list->items[i].saved, total, options->min_share))
      write_advice(reduction, &list->items[i], ++shown, sink);
    else
      left_out += list->items[i].saved;
  if (shown < list->count)
    sink_format(sink,
                "\nLeft out: %zu more, saving up to %" PRIu64 " bytes%s.\n",
                list->count - shown, left_out,
                options->limit == SIZE_MAX ? "; --verbose shows them" : "");
}

static void
write_all(const struct reduction *reduction, struct sink *sink,
          void (*write)(const struct reduction *, const struct advice_list *,
                        struct sink *))
{
  struct advice_list list;
  if (advice_list_init(&list, reduction))
    write(reduction, &list, sink);
  else
    sink_fail(sink, ENOMEM);
  advice_list_release(&list);
}

static void
write_full(const struct reduction *reduction, const struct advice_list *list,
           struct sink *sink)
{
  report_unattributed(reduction, sink);
  report_summary(reduction, sink);
  if (!advice_applies(reduction))
    sink_text(sink, "\nThe rules of advice are for Lisp programs only.\n");
  else if (list->count == 0)
    sink_text(sink, "\nNo rule found anything to change.\n");
  else
    write_list(reduction, list, sink);
  if (list->count > 0)
    report_legend_text(
        reduction, sink,
        "Change one thing, profile into another file, and compare the two "
        "with `mprof diff OLD NEW'. 'certain' figures follow from the "
        "counts; 'check' figures are upper limits. `mprof help advise' lists "
        "the rules.");
}

void
report_advice(const struct reduction *reduction, struct sink *sink)
{
  write_all(reduction, sink, write_full);
}

/* One line each. */
static void
write_first(const struct reduction *reduction, const struct advice_list *list,
            struct sink *sink)
{
  uint64_t total = reduction->selection.total.bytes;
  for (size_t i = 0; i < list->count && i < LINES_OF_REPORT; i++) {
    if (!share_reached(list->items[i].saved, total,
                       reduction->options->min_share))
      break;
    if (i == 0)
      report_heading(sink, "ADVICE");
    sink_text(sink, "  ");
    write_headline(reduction, &list->items[i], sink);
  }
  if (list->count > 0)
    report_legend_text(reduction, sink,
                       "`mprof advise' prints all advice, with what to "
                       "change and where.");
}

void
report_first_advice(const struct reduction *reduction, struct sink *sink)
{
  write_all(reduction, sink, write_first);
}

void
report_advice_rules(struct sink *sink)
{
  sink_text(sink,
            "\nRules; the first that holds for an allocation claims it:\n");
  for (const struct advice_rule *const *rule = advice_rules; *rule != NULL;
       rule++) {
    if ((*rule)->name == NULL)
      continue;
    sink_format(sink, "  %s (%s)\n", (*rule)->name,
                grade_name((*rule)->grade));
    sink_format(sink, "    a function that %s\n", (*rule)->fault);
    report_indented(sink, (*rule)->remedy, 4);
    report_indented(sink, (*rule)->example, 6);
    write_unknown(*rule, 4, sink);
  }
}
