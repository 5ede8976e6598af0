/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folded stacks: a line a distinct chain, "root;...;leaf N", N being what
 * the leaf itself allocated; what flame graph programs read.
 *
 * Lines are sorted by their bytes, zeros are left out.  Names may hold any
 * character: ";", "\" and whatever could end a line are written as \x3b, \\,
 * \n and so on, so that a line is one chain and names can be had back.
 *
 * The thread and the phase stand before the root when they are asked for, in
 * brackets, as what is no function does.
 *
 * A line is made of words: a name with the ";" that follows it, or the last
 * name without.  Each word is escaped once.  Chains are kept as the ranks of
 * their words among all words, so that comparing ranks compares the lines.
 * Linear in the frames, but for sorting the chains.
 */

#include "base/array.h"
#include "export/export.h"
#include "tables/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct folded_word {
  const char *text;
  uint32_t id; /* among the texts */
};

/* A chain: COUNT words from FIRST on. */
struct folded_chain {
  size_t first, count;
  const uint32_t *words; /* the same, once no more words are added */
  uint64_t value;
};

struct folding {
  const struct reduction *reduction;
  struct names texts;     /* of words */
  uint32_t *inner, *last; /* by item of the tree: the two words of a name */
  uint32_t *types;        /* by type: its word */
  uint32_t *words;        /* of all chains, root first */
  size_t word_count, word_capacity;
  struct folded_chain *chains;
  size_t chain_count, chain_capacity;
};

/* The word of NAME as the LAST frame of a chain, or as another. */
static uint32_t
intern_word(struct folding *folding, const char *name, bool last)
{
  struct string_sink string;
  string_sink_init(&string);
  escape_name(&string.sink, name, ";");
  if (!last)
    sink_text(&string.sink, ";");
  const char *text = string_sink_text(&string);
  uint32_t word =
      text == NULL ? NAMES_NONE : names_intern(&folding->texts, text);
  string_sink_release(&string);
  return word;
}

/* Appends WORD to the chain in hand, the last one. */
static bool
push_word(struct folding *folding, uint32_t word)
{
  uint32_t *words = array_reserve(folding->words, &folding->word_capacity,
                                  folding->word_count + 1, sizeof *words);
  if (words == NULL)
    return false;
  folding->words = words;
  words[folding->word_count++] = word;
  folding->chains[folding->chain_count - 1].count++;
  return word != NAMES_NONE;
}

/* The same for NAME, whose word is made once and kept in *KNOWN. */
static bool
push_name(struct folding *folding, uint32_t *known, const char *name,
          bool last)
{
  if (*known == NAMES_NONE)
    *known = intern_word(folding, name, last);
  return push_word(folding, *known);
}

/* Adds "[WHAT NAME]", without the blank when WHAT is empty. */
static bool
push_label(struct folding *folding, const char *what, const char *name)
{
  struct string_sink label;
  string_sink_init(&label);
  sink_format(&label.sink, "[%s%s%s]", what, *what == '\0' ? "" : " ", name);
  const char *text = string_sink_text(&label);
  bool good = text != NULL &&
              push_word(folding, intern_word(folding, text, false));
  string_sink_release(&label);
  return good;
}

/* Adds the words that stand before the chain of sample I. */
static bool
push_labels(struct folding *folding, size_t i)
{
  const struct reduction *reduction = folding->reduction;
  const struct view_options *options = reduction->options;
  const struct profile *profile = reduction->profile;
  uint32_t thread = profile->labels[profile->samples[i].labels].thread;
  return (!options->label_threads ||
          push_label(folding, "thread",
                     profile_thread_name(profile, thread))) &&
         (!options->label_phases ||
          push_label(folding, "",
                     phase_title(selection_phase(&reduction->selection, i))));
}

/* Adds the words of the chain of NODE, the last one being LAST. */
static bool
push_chain(struct folding *folding, uint32_t node, bool last)
{
  const struct call_tree *tree = &folding->reduction->tree;
  const struct tree_node *nodes = tree->tree.nodes;
  size_t length = 0;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    length++;
  size_t first = folding->word_count;
  for (size_t i = 0; i < length; i++) /* makes room */
    if (!push_word(folding, 0))
      return false;
  for (size_t i = length; i-- > 0; node = nodes[node].parent) {
    uint32_t item = nodes[node].item;
    bool is_last = last && i + 1 == length;
    uint32_t *known = is_last ? &folding->last[item] : &folding->inner[item];
    if (*known == NAMES_NONE)
      *known = intern_word(folding, tree->items[item].name, is_last);
    if (*known == NAMES_NONE)
      return false;
    folding->words[first + i] = *known;
  }
  return true;
}

static bool
push_type(struct folding *folding, uint32_t type)
{
  const struct profile *profile = folding->reduction->profile;
  const char *name = tally_type_name(profile, &profile->types[type]);
  return push_name(folding, &folding->types[type],
                   *name != '\0' ? name : "[unknown type]", true);
}

/* Adds what sample I, of which NODE has the allocations, counts. */
static bool
add_chain(struct folding *folding, size_t i, uint32_t node)
{
  const struct reduction *reduction = folding->reduction;
  bool types = reduction->options->types;
  struct sample_count count;
  selection_count(&reduction->selection, i, &count);
  struct folded_chain *chains =
      array_reserve(folding->chains, &folding->chain_capacity,
                    folding->chain_count + 1, sizeof *chains);
  if (chains == NULL)
    return false;
  folding->chains = chains;
  uint64_t value = count.counts[reduction_measure(reduction)];
  if (value == 0)
    return true;
  chains[folding->chain_count++] =
      (struct folded_chain){.first = folding->word_count, .value = value};
  return push_labels(folding, i) && push_chain(folding, node, !types) &&
         (!types || push_type(folding, count.type));
}

/* By text. */
static int
compare_words(const void *left, const void *right)
{
  const struct folded_word *a = left;
  const struct folded_word *b = right;
  return strcmp(a->text, b->text);
}

/* Sorts the words by text into SORTED; in the chains each becomes its place
 * among them. */
static bool
rank_words(struct folding *folding, struct folded_word *sorted)
{
  size_t count = folding->texts.count;
  uint32_t *ranks = array_zeroed(count, sizeof *ranks);
  if (ranks == NULL)
    return false;
  for (uint32_t i = 0; i < count; i++)
    sorted[i] = (struct folded_word){names_text(&folding->texts, i), i};
  array_sort(sorted, count, sizeof *sorted, compare_words);
  for (uint32_t i = 0; i < count; i++)
    ranks[sorted[i].id] = i;
  for (size_t i = 0; i < folding->word_count; i++)
    folding->words[i] = ranks[folding->words[i]];
  for (size_t i = 0; i < folding->chain_count; i++)
    folding->chains[i].words = folding->words + folding->chains[i].first;
  free(ranks);
  return true;
}

/* By words.  The last word of a chain is no word within another, so neither
 * can be the beginning of the other. */
static int
compare_chains(const void *left, const void *right)
{
  const struct folded_chain *a = left;
  const struct folded_chain *b = right;
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (a->words[i] != b->words[i])
      return a->words[i] < b->words[i] ? -1 : 1;
  return 0;
}

/* Writes a line for each run of equal chains. */
static void
write_lines(const struct folding *folding, const struct folded_word *sorted,
            struct sink *sink)
{
  const struct folded_chain *chains = folding->chains;
  uint64_t value = 0;
  for (size_t i = 0; i < folding->chain_count; i++) {
    value += chains[i].value;
    if (i + 1 < folding->chain_count &&
        compare_chains(&chains[i], &chains[i + 1]) == 0)
      continue;
    for (size_t j = 0; j < chains[i].count; j++)
      sink_text(sink, sorted[chains[i].words[j]].text);
    sink_format(sink, " %llu\n", (unsigned long long)value);
    value = 0;
  }
}

/* An array of COUNT times NAMES_NONE; NULL when memory runs out. */
static uint32_t *
no_words(size_t count)
{
  uint32_t *words = array_zeroed(count, sizeof *words);
  for (size_t i = 0; words != NULL && i < count; i++)
    words[i] = NAMES_NONE;
  return words;
}

static bool
collect(struct folding *folding)
{
  const struct reduction *reduction = folding->reduction;
  const struct profile *profile = reduction->profile;
  folding->inner = no_words(reduction->tree.item_count);
  folding->last = no_words(reduction->tree.item_count);
  folding->types = no_words(profile->type_count);
  if (!names_init(&folding->texts) || folding->inner == NULL ||
      folding->last == NULL || folding->types == NULL)
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint32_t node = reduction->tree.of_sample[i];
    if (node != INDEX_NONE && !add_chain(folding, i, node))
      return false;
  }
  return true;
}

void
export_folded(const struct reduction *reduction, struct sink *sink)
{
  struct folding folding = {.reduction = reduction};
  bool good = collect(&folding);
  struct folded_word *sorted =
      good ? array_zeroed(folding.texts.count, sizeof *sorted) : NULL;
  if (sorted != NULL && rank_words(&folding, sorted)) {
    array_sort(folding.chains, folding.chain_count, sizeof *folding.chains,
               compare_chains);
    write_lines(&folding, sorted, sink);
  } else {
    sink_fail(sink, ENOMEM);
  }
  free(sorted);
  names_release(&folding.texts);
  free(folding.inner);
  free(folding.last);
  free(folding.types);
  free(folding.words);
  free(folding.chains);
}
