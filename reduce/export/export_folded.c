/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folded stacks, what flame graph programs read.
 *
 * A line is made of words: a name with the ";" that follows it, or the last
 * name without.  Each word is escaped once, and equal ones have one number,
 * so that lines are a tree of words.  The thread and the phase stand before
 * the root in brackets, as what is no function does.
 */

#include "base/array.h"
#include "base/quote.h"
#include "export/export.h"

#include <inttypes.h>
#include <string.h>

struct folding {
  const struct view *view;
  struct string_sink word; /* in hand */
  struct names texts;      /* of words */
  uint32_t *inner, *last;  /* by item of the tree: the two words of a name */
  uint32_t *types;         /* by type: its word */
  uint32_t *threads;       /* by thread: likewise */
  uint32_t phases[PHASE_COUNT];
  struct tree lines;
  uint64_t *values; /* by node of it: of the line that ends there */
  size_t value_count, value_capacity;
  uint32_t *path; /* the nodes in hand */
  size_t path_capacity;
};

/* Returns the word of NAME between BEFORE and AFTER. */
static uint32_t
make_word(struct folding *folding, const char *before, const char *name,
          const char *after)
{
  struct sink *sink = &folding->word.sink;
  string_sink_clear(&folding->word);
  sink_text(sink, before);
  escape_name(sink, name, ";");
  sink_text(sink, after);
  return names_intern(&folding->texts, string_sink_text(&folding->word));
}

static void
make_words(struct folding *folding)
{
  const struct view *view = folding->view;
  const struct profile *profile = view->profile;
  size_t items = view->tree.item_count;
  folding->inner = pool_alloc(items * sizeof *folding->inner);
  folding->last = pool_alloc(items * sizeof *folding->last);
  folding->types = pool_alloc(profile->type_count * sizeof *folding->types);
  folding->threads =
      pool_alloc(profile->thread_count * sizeof *folding->threads);
  for (size_t i = 0; i < items; i++) {
    const char *name = view->tree.items[i].name;
    folding->inner[i] = make_word(folding, "", name, ";");
    folding->last[i] = make_word(folding, "", name, "");
  }
  for (size_t i = 0; i < profile->type_count; i++) {
    const char *name = tally_type_name(profile, &profile->types[i]);
    folding->types[i] =
        make_word(folding, "", *name == '\0' ? "[unknown type]" : name, "");
  }
  for (size_t i = 0; i < profile->thread_count; i++)
    folding->threads[i] =
        make_word(folding, "[thread ", profile_thread_name(profile, i), "];");
  for (int i = 0; i < PHASE_COUNT; i++)
    folding->phases[i] = make_word(folding, "[", phase_texts[i].title, "];");
}

/* Adds what sample I, of which NODE has the allocations, counts. */
static void
add_line(struct folding *folding, size_t i, uint32_t node)
{
  const struct view *view = folding->view;
  const uint64_t added = view->options->added_frames;
  const struct profile *profile = view->profile;
  const struct tree_node *nodes = view->tree.tree.nodes;
  const uint32_t leaf = nodes[node].item;
  const bool typed = adds_frame(added, FRAME_TYPE);
  struct tree *lines = &folding->lines;
  uint32_t at = TREE_ROOT;
  size_t length = 0;
  struct sample_count count;
  selection_count(&view->selection, i, &count);
  uint64_t value = count.counts[view_measure(view)];
  if (value == 0)
    return;
  if (adds_frame(added, FRAME_THREAD))
    at = tree_child(
        lines, at,
        folding->threads[profile->labels[profile->samples[i].labels].thread]);
  if (adds_frame(added, FRAME_PHASE))
    at = tree_child(lines, at,
                    folding->phases[selection_phase(&view->selection, i)]);
  for (uint32_t n = typed ? node : nodes[node].parent; n != TREE_ROOT;
       n = nodes[n].parent)
    ARRAY_PUSH(folding->path, length, folding->path_capacity, n);
  while (length > 0)
    at = tree_child(lines, at,
                    folding->inner[nodes[folding->path[--length]].item]);
  at = tree_child(lines, at,
                  typed ? folding->types[count.type] : folding->last[leaf]);
  while (folding->value_count < lines->count)
    ARRAY_PUSH(folding->values, folding->value_count, folding->value_capacity,
               0);
  folding->values[at] += value;
}

/* Orders nodes by the text of their words. */
static int
compare_words(const void *left, const void *right, void *context)
{
  const struct folding *folding = context;
  const struct tree_node *nodes = folding->lines.nodes;
  return strcmp(
      names_text(&folding->texts, nodes[*(const uint32_t *)left].item),
      names_text(&folding->texts, nodes[*(const uint32_t *)right].item));
}

/* Writes the line that ends at NODE. */
static void
write_line(struct folding *folding, uint32_t node, struct sink *sink)
{
  const struct tree_node *nodes = folding->lines.nodes;
  size_t length = 0;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    ARRAY_PUSH(folding->path, length, folding->path_capacity, n);
  while (length > 0)
    sink_text(sink, names_text(&folding->texts,
                               nodes[folding->path[--length]].item));
  sink_format(sink, " %" PRIu64 "\n", folding->values[node]);
}

void
export_folded(const struct view *view, struct sink *sink)
{
  struct folding folding = {.view = view};
  const struct call_tree *tree = &view->tree;
  names_init(&folding.texts);
  string_sink_init(&folding.word);
  tree_init(&folding.lines);
  make_words(&folding);
  for (size_t i = 0; i < view->profile->sample_count; i++)
    if (tree->of_sample[i] != INDEX_NONE)
      add_line(&folding, i, tree->of_sample[i]);
  const uint32_t *walk = tree_walk(&folding.lines, compare_words, &folding);
  for (size_t i = 1; i < folding.value_count; i++)
    if (folding.values[walk[i]] != 0)
      write_line(&folding, walk[i], sink);
}
