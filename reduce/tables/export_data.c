/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One table as comma-separated values; the whole view as one JSON
 * object, which mprof-profile.schema.json describes, or as one expression
 * that a Lisp reader reads; that without the call chains, unless they are
 * asked for.
 *
 * In JSON functions and types are referred to by their place in their lists,
 * which counts from zero, as are contexts and cycles; in Lisp by their names.
 */

#include "tables/output.h"

#include "tables/scratch.h"
#include "tables/table.h"

#include <string.h>

enum { JSON = 1 << FORM_JSON, LISP = 1 << FORM_LISP };

/* The lists, in order; the first ones are there already. */
static const struct list {
  const char *key;
  const struct table *table;
  int forms;
  bool of_contexts;
} lists[] = {
    {"functions", &functions_table, JSON | LISP},
    {"arcs", &arcs_table, JSON | LISP},
    {"cycles", &cycles_table, JSON},
    {"types", &types_table, JSON | LISP},
    {"contexts", &contexts_table, JSON, true},
    {"chains", &contexts_table, LISP, true},
    {"contexts", &contexts_by_size_table, LISP, true},
    {"bins", &bins_table, JSON | LISP},
    {"regions", &regions_table, JSON | LISP},
    {"phases", &phases_table, JSON | LISP},
    {"threads", &threads_table, JSON | LISP},
    {"advice", &advice_table, JSON | LISP},
};

/* Returns the place of each of COUNT items in the list of TABLE. */
static uint32_t *
find_places(const struct table *table, const struct view *view, size_t count)
{
  uint32_t *places = pool_zeroed(count, sizeof *places);
  struct scratch *scratch = scratch_begin();
  struct listing listing;
  listing_init(&listing, table, view, FORM_JSON);
  for (size_t i = 0; i < listing.ranking.count; i++)
    places[listing.ranking.rows[i].item] = (uint32_t)i;
  scratch_end(scratch);
  return places;
}

void
json_find_places(struct writer *writer)
{
  const struct view *view = writer->view;
  writer->places[TO_FUNCTIONS] =
      find_places(&functions_table, view, view->graph.node_count);
  writer->places[TO_TYPES] =
      find_places(&types_table, view, view->profile->type_count);
}

static void
write_comments(struct writer *writer)
{
  const struct profile *profile = writer->view->profile;
  bool lisp = writer->form == FORM_LISP;
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *text = names_text(&profile->names, profile->comments[i]);
    size_t length = strcspn(text, "=");
    char *key = pool_text_part(text, length);
    if (i > 0 || !lisp)
      sink_text(writer->sink, lisp ? "\n  " : i == 0 ? "\n" : ",\n");
    writer->first = true;
    writer_begin(writer, '{');
    put_string(at(writer, lisp ? NULL : "key"), key);
    sink_text(writer->sink, lisp ? " ." : "");
    put_string(at(writer, lisp ? NULL : "value"),
               text + length + (text[length] == '='));
    writer_end(writer, '}');
  }
}

/* Writes all lists but those of CONTEXTS, unless these are wanted; in Lisp
 * only the table that is asked for, if one is. */
static void
write_lists(struct writer *writer, bool contexts)
{
  const struct output *asked =
      writer->form == FORM_LISP ? writer->view->options->table : NULL;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    const struct list *list = &lists[i];
    const struct table *name =
        list->of_contexts ? &contexts_table : list->table;
    if ((list->forms >> writer->form & 1) != 0 &&
        (asked != NULL ? asked->table == name
                       : contexts || !list->of_contexts))
      writer_table(at(writer, list->key), list->table);
  }
}

static void
write_json_head(struct writer *writer)
{
  const struct profile *profile = writer->view->profile;
  struct sink *sink = writer->sink;
  sink_text(sink, "{\"format\":\"mprof-profile\",\"version\":2,"
                  "\"generator\":\"mprof " MPROF_VERSION "\",\n");
  writer->first = true;
  put_string(at(writer, "language"),
             profile->language == LANGUAGE_LISP ? "lisp" : "c");
  writer_begin(at(writer, "categories"), '[');
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    put_string(writer, category_rows[profile->language][i].name);
  writer_end(writer, ']');
  sink_text(sink, ",\n\"totals\":{");
  writer->first = true;
  writer_counts(writer, "", writer->view->selection.total.counts);
  sink_text(sink, "},\n\"file_totals\":{");
  writer->first = true;
  writer_counts(writer, "", profile->total);
  sink_text(sink, "}");
}

void
json_write(struct writer *writer, bool contexts)
{
  write_json_head(writer);
  write_lists(writer, contexts);
  sink_text(writer->sink, ",\n\"comments\":[");
  write_comments(writer);
  sink_text(writer->sink, "]}\n");
}

void
export_json(const struct view *view, struct sink *sink)
{
  struct writer writer = {.view = view, .sink = sink, .form = FORM_JSON};
  json_find_places(&writer);
  json_write(&writer, true);
}

void
export_lisp(const struct view *view, struct sink *sink)
{
  struct writer writer = {.view = view, .sink = sink, .form = FORM_LISP};
  sink_text(sink, "(:mprof-profile");
  writer_counts(&writer, "", view->selection.total.counts);
  sink_format(sink, "\n :language \"%s\"",
              view->profile->language == LANGUAGE_LISP ? "lisp" : "c");
  write_lists(&writer, false);
  sink_text(sink, "\n :comments\n (");
  write_comments(&writer);
  sink_text(sink, "))\n");
}

void
export_csv(const struct view *view, struct sink *sink)
{
  const struct output *output = view->options->table;
  struct writer writer = {.view = view, .sink = sink, .form = FORM_CSV};
  writer_table(at(&writer, ""),
               (output == NULL ? csv_tables : output)->table);
}
