/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folded stacks, what flame graph programs read.
 *
 * A line is made of words: a name with the ";" that follows it, or the last
 * name without.  Each word is escaped once, and equal ones have one number,
 * so that two lines are compared as text only where they first differ.  The
 * thread and the phase stand before the root in brackets, as what is no
 * function does.
 */

#include "base/array.h"
#include "base/quote.h"
#include "export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 3 }; /* the thread, the phase, the type */

/* A chain: COUNT words from FIRST on. */
struct folded_chain {
  size_t first, count;
  uint64_t value;
};

struct folding {
  const struct reduction *reduction;
  struct string_sink word; /* in hand */
  struct names texts;      /* of words */
  uint32_t *inner, *last;  /* by item of the tree: the two words of a name */
  uint32_t *types;         /* by type: its word */
  uint32_t *threads;       /* by thread: likewise */
  uint32_t phases[PHASE_COUNT];
  uint32_t *words; /* of all chains, root first */
  size_t word_count, word_capacity;
  struct folded_chain *chains; /* room for one of each sample */
  size_t chain_count;
};

/* The word of NAME between BEFORE and AFTER. */
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
  const struct reduction *reduction = folding->reduction;
  const struct profile *profile = reduction->profile;
  size_t items = reduction->tree.item_count;
  folding->inner = pool_alloc(items * sizeof *folding->inner);
  folding->last = pool_alloc(items * sizeof *folding->last);
  folding->types = pool_alloc(profile->type_count * sizeof *folding->types);
  folding->threads =
      pool_alloc(profile->thread_count * sizeof *folding->threads);
  for (size_t i = 0; i < items; i++) {
    const char *name = reduction->tree.items[i].name;
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
add_chain(struct folding *folding, size_t i, uint32_t node)
{
  const struct reduction *reduction = folding->reduction;
  const struct view_options *options = reduction->options;
  const struct profile *profile = reduction->profile;
  const struct tree_node *nodes = reduction->tree.tree.nodes;
  struct sample_count count;
  selection_count(&reduction->selection, i, &count);
  uint64_t value = count.counts[reduction_measure(reduction)];
  if (value == 0)
    return;
  size_t length = 0;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    length++;
  ARRAY_ROOM(folding->words, folding->word_capacity,
             folding->word_count + length + MOST_LABELS);
  uint32_t *first = folding->words + folding->word_count;
  uint32_t *word = first;
  if (adds_frame(options->added_frames, FRAME_THREAD))
    *word++ =
        folding->threads[profile->labels[profile->samples[i].labels].thread];
  if (adds_frame(options->added_frames, FRAME_PHASE))
    *word++ = folding->phases[selection_phase(&reduction->selection, i)];
  word += length;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    *--word = folding->inner[nodes[n].item];
  word += length;
  if (adds_frame(options->added_frames, FRAME_TYPE))
    *word++ = folding->types[count.type];
  else
    word[-1] = folding->last[nodes[node].item];
  folding->chains[folding->chain_count++] = (struct folded_chain){
      folding->word_count, (size_t)(word - first), value};
  folding->word_count += (size_t)(word - first);
}

/* By words.  The last word of a chain is no word within another, so neither
 * can be the beginning of the other. */
static int
compare_chains(const void *left, const void *right, void *context)
{
  const struct folded_chain *a = left;
  const struct folded_chain *b = right;
  const struct folding *folding = context;
  const uint32_t *a_words = folding->words + a->first;
  const uint32_t *b_words = folding->words + b->first;
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (a_words[i] != b_words[i])
      return strcmp(names_text(&folding->texts, a_words[i]),
                    names_text(&folding->texts, b_words[i]));
  return 0;
}

/* Writes a line for each run of equal chains. */
static void
write_lines(struct folding *folding, struct sink *sink)
{
  const struct folded_chain *chain = folding->chains;
  const struct folded_chain *end = chain + folding->chain_count;
  uint64_t value = 0;
  for (; chain < end; chain++) {
    value += chain->value;
    if (chain + 1 < end && compare_chains(chain, chain + 1, folding) == 0)
      continue;
    for (size_t i = 0; i < chain->count; i++)
      sink_text(sink, names_text(&folding->texts,
                                 folding->words[chain->first + i]));
    sink_format(sink, " %" PRIu64 "\n", value);
    value = 0;
  }
}

void
export_folded(const struct reduction *reduction, struct sink *sink)
{
  struct folding folding = {.reduction = reduction};
  const struct call_tree *tree = &reduction->tree;
  size_t samples = reduction->profile->sample_count;
  folding.chains = pool_zeroed(samples, sizeof *folding.chains);
  names_init(&folding.texts);
  string_sink_init(&folding.word);
  make_words(&folding);
  for (size_t i = 0; i < samples; i++)
    if (tree->of_sample[i] != INDEX_NONE)
      add_chain(&folding, i, tree->of_sample[i]);
  qsort_r(folding.chains, folding.chain_count, sizeof *folding.chains,
          compare_chains, &folding);
  write_lines(&folding, sink);
}
