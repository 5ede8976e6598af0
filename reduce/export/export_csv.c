/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comma-separated values as RFC 4180 has them: a header, lines that end in
 * CR LF, text in double quotes with these doubled, so that commas, quotes and
 * line ends in names are no matter.  Numbers are without quotes.
 *
 * A spreadsheet takes text that begins with "=", "+", "-" or "@", perhaps
 * after a tab or a line end, for a formula, quotes or not.  Such text, and
 * text that begins with an apostrophe, gets an apostrophe in front: what
 * reads the file takes one away from text that begins with one.
 *
 * A chain is one cell, root first, as the format folded writes it.
 */

#include "export/export_csv.h"

#include "export/chain_tree.h"
#include "export/export.h"
#include "export/listing.h"
#include "output.h"
#include "profile/array.h"
#include "report/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void
write_text(struct sink *sink, const char *text)
{
  sink_text(sink, *text != '\0' && strchr("=+-@'\t\r\n", *text) != NULL
                      ? "\"'"
                      : "\"");
  while (*text != '\0') {
    size_t plain = strcspn(text, "\"");
    sink_bytes(sink, text, plain);
    text += plain;
    if (*text == '"') {
      sink_text(sink, "\"\"");
      text++;
    }
  }
  sink_text(sink, "\"");
}

/* The next cell of a row, text or a number. */
static void
next_text(struct sink *sink, const char *text)
{
  sink_text(sink, ",");
  write_text(sink, text);
}

static void
next_number(struct sink *sink, uint64_t number)
{
  sink_format(sink, ",%" PRIu64, number);
}

static void
end_row(struct sink *sink)
{
  sink_text(sink, "\r\n");
}

/* Fills ROWS; fails SINK when memory runs out. */
static void
list_rows(const struct reduction *reduction, listing *list,
          struct ranking *rows, struct sink *sink)
{
  if (!list(reduction, rows))
    sink_fail(sink, ENOMEM);
}

void
csv_functions(const struct reduction *reduction, struct sink *sink)
{
  bool kept = reduction->profile.has_kept;
  struct ranking rows;
  list_rows(reduction, list_functions, &rows, sink);
  sink_format(sink,
              "function,self_bytes,self_allocations,inclusive_bytes,"
              "inclusive_allocations,%scalls,cycle,file,line\r\n",
              kept ? "self_kept_bytes,inclusive_kept_bytes," : "");
  for (size_t i = 0; i < rows.count; i++) {
    const struct graph_node *node =
        &reduction->graph.nodes[rows.rows[i].item];
    int64_t line = listed_line(reduction, node);
    write_text(sink, node->name);
    next_number(sink, node->self.bytes);
    next_number(sink, node->self.allocs);
    next_number(sink, node->inclusive.bytes);
    next_number(sink, node->inclusive.allocs);
    if (kept) {
      next_number(sink, node->self.kept_bytes);
      next_number(sink, node->inclusive.kept_bytes);
    }
    next_number(sink, node->calls);
    if (node->cycle == 0)
      sink_text(sink, ",");
    else
      next_number(sink, node->cycle);
    next_text(sink, listed_file(reduction, node));
    if (line == 0)
      sink_text(sink, ",");
    else
      next_number(sink, (uint64_t)line);
    end_row(sink);
  }
  ranking_release(&rows);
}

void
csv_arcs(const struct reduction *reduction, struct sink *sink)
{
  const struct call_graph *graph = &reduction->graph;
  struct ranking rows;
  list_rows(reduction, list_arcs, &rows, sink);
  sink_text(sink, "caller,callee,calls,bytes,allocations\r\n");
  for (size_t i = 0; i < rows.count; i++) {
    const struct graph_arc *arc = &graph->arcs[rows.rows[i].item];
    write_text(sink, graph->nodes[arc->caller].name);
    next_text(sink, graph->nodes[arc->callee].name);
    next_number(sink, arc->calls);
    next_number(sink, arc->inclusive.bytes);
    next_number(sink, arc->inclusive.allocs);
    end_row(sink);
  }
  ranking_release(&rows);
}

void
csv_types(const struct reduction *reduction, struct sink *sink)
{
  const struct profile *profile = &reduction->profile;
  struct ranking rows;
  list_rows(reduction, list_types, &rows, sink);
  sink_text(sink, "category,type,class,bytes,allocations\r\n");
  for (size_t i = 0; i < rows.count; i++) {
    size_t item = rows.rows[i].item;
    const struct profile_type *type = &profile->types[item];
    write_text(sink, category_name(profile->language, type->category));
    next_text(sink, names_text(&profile->names, type->type));
    next_text(sink, names_text(&profile->names, type->class_name));
    next_number(sink, reduction->tally.types[item].bytes);
    next_number(sink, reduction->tally.types[item].allocs);
    end_row(sink);
  }
  ranking_release(&rows);
}

/* Writes the chain that ends in NODE as one cell.  PATH has room for it. */
static void
write_chain(const struct chain_tree *tree, uint32_t node, uint32_t *path,
            struct sink *sink)
{
  struct sink_string text = {0};
  struct sink chain;
  size_t length = 0;
  sink_init(&chain, sink_write_string, &text);
  for (uint32_t n = node; n != INDEX_NONE; n = tree->nodes[n].parent)
    path[length++] = tree->nodes[n].item;
  while (length-- > 0) {
    escape_name(&chain, chain_item_name(tree, path[length]), ";");
    sink_text(&chain, length == 0 ? "" : ";");
  }
  if (!sink_flush(&chain))
    sink_fail(sink, ENOMEM);
  write_text(sink, text.text == NULL ? "" : text.text);
  free(text.text);
}

void
csv_contexts(const struct reduction *reduction, struct sink *sink)
{
  struct chain_tree tree;
  bool good = chain_tree_init(&tree, reduction, CHAIN_OF_FUNCTIONS);
  uint32_t *path = good ? array_zeroed(tree.count, sizeof *path) : NULL;
  if (path == NULL)
    sink_fail(sink, ENOMEM);
  sink_text(sink, "chain,bytes,allocations,calls\r\n");
  for (uint32_t i = 0; path != NULL && i < tree.count; i++) {
    const struct chain_node *node = &tree.nodes[i];
    if (node->bytes == 0 && node->allocs == 0 && node->calls == 0)
      continue;
    write_chain(&tree, i, path, sink);
    next_number(sink, node->bytes);
    next_number(sink, node->allocs);
    next_number(sink, node->calls);
    end_row(sink);
  }
  free(path);
  chain_tree_release(&tree);
}

/* Writes the header of a table of shares, whose first column is KEY. */
static void
write_share_header(const struct reduction *reduction, const char *key,
                   struct sink *sink)
{
  sink_format(sink, "%s,bytes,allocations", key);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    sink_text(sink, ",");
    write_text(sink, category_name(reduction->profile.language, i));
  }
  end_row(sink);
}

static void
write_share(struct sink *sink, const char *name,
            const struct figures *figures)
{
  write_text(sink, name);
  next_number(sink, figures->bytes);
  next_number(sink, figures->allocs);
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    next_number(sink, figures->category_bytes[i]);
  end_row(sink);
}

void
csv_phases(const struct reduction *reduction, struct sink *sink)
{
  struct ranking rows;
  list_rows(reduction, list_phases, &rows, sink);
  write_share_header(reduction, "phase", sink);
  for (size_t i = 0; i < rows.count; i++)
    write_share(sink, rows.rows[i].name,
                &reduction->tally.phases[rows.rows[i].item]);
  ranking_release(&rows);
}

void
csv_threads(const struct reduction *reduction, struct sink *sink)
{
  struct ranking rows;
  list_rows(reduction, list_threads, &rows, sink);
  write_share_header(reduction, "thread", sink);
  for (size_t i = 0; i < rows.count; i++)
    write_share(sink, rows.rows[i].name,
                &reduction->tally.threads[rows.rows[i].item]);
  ranking_release(&rows);
}

void
export_csv(const struct reduction *reduction, struct sink *sink)
{
  const struct output *table = reduction->options->table;
  (table == NULL ? &csv_tables[0] : table)->emit(reduction, sink);
}
