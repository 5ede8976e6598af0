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

#include <errno.h>
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
  struct names texts;     /* of words */
  uint32_t *inner, *last; /* by item of the tree: the two words of a name */
  uint32_t *types;        /* by type: its word */
  uint32_t *threads;      /* by thread: likewise */
  uint32_t phases[PHASE_COUNT];
  uint32_t *words; /* of all chains, root first */
  size_t word_count, word_capacity;
  struct folded_chain *chains; /* room for one of each sample */
  size_t chain_count;
};

/* Sets *WORD to that of NAME between BEFORE and AFTER; false when memory runs
 * out. */
static bool
make_word(struct folding *folding, uint32_t *word, const char *before,
          const char *name, const char *after)
{
  struct string_sink string;
  string_sink_init(&string);
  sink_text(&string.sink, before);
  escape_name(&string.sink, name, ";");
  sink_text(&string.sink, after);
  const char *text = string_sink_text(&string);
  *word = text == NULL ? NAMES_NONE : names_intern(&folding->texts, text);
  string_sink_release(&string);
  return *word != NAMES_NONE;
}

static bool
make_words(struct folding *folding)
{
  const struct reduction *reduction = folding->reduction;
  const struct profile *profile = reduction->profile;
  size_t items = reduction->tree.item_count;
  folding->inner =
      array_zeroed(2 * items + profile->type_count + profile->thread_count,
                   sizeof *folding->inner);
  bool good = folding->inner != NULL && names_init(&folding->texts);
  if (!good)
    return false;
  folding->last = folding->inner + items;
  folding->types = folding->last + items;
  folding->threads = folding->types + profile->type_count;
  for (size_t i = 0; good && i < items; i++) {
    const char *name = reduction->tree.items[i].name;
    good = make_word(folding, &folding->inner[i], "", name, ";") &&
           make_word(folding, &folding->last[i], "", name, "");
  }
  for (size_t i = 0; good && i < profile->type_count; i++) {
    const char *name = tally_type_name(profile, &profile->types[i]);
    good = make_word(folding, &folding->types[i], "",
                     *name == '\0' ? "[unknown type]" : name, "");
  }
  for (size_t i = 0; good && i < profile->thread_count; i++)
    good = make_word(folding, &folding->threads[i], "[thread ",
                     profile_thread_name(profile, i), "];");
  for (int i = 0; good && i < PHASE_COUNT; i++)
    good = make_word(folding, &folding->phases[i], "[",
                     phase_texts[i].title, "];");
  return good;
}

/* Adds what sample I, of which NODE has the allocations, counts. */
static bool
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
    return true;
  size_t length = 0;
  for (uint32_t n = node; n != TREE_ROOT; n = nodes[n].parent)
    length++;
  if (!ARRAY_ROOM(folding->words, folding->word_capacity,
                  folding->word_count + length + MOST_LABELS))
    return false;
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
  return true;
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
  folding.chains = array_zeroed(samples, sizeof *folding.chains);
  bool good = make_words(&folding) && folding.chains != NULL;
  for (size_t i = 0; good && i < samples; i++)
    good = tree->of_sample[i] == INDEX_NONE ||
           add_chain(&folding, i, tree->of_sample[i]);
  if (!good)
    sink_fail(sink, ENOMEM);
  if (good && folding.chain_count > 0)
    qsort_r(folding.chains, folding.chain_count, sizeof *folding.chains,
            compare_chains, &folding);
  write_lines(&folding, sink);
  names_release(&folding.texts);
  pool_free(folding.inner);
  pool_free(folding.words);
  pool_free(folding.chains);
}
