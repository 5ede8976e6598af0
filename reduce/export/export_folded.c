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

#include "export/export.h"
#include "export/visible_chain.h"
#include "profile/array.h"
#include "report/text_table.h"

#include <errno.h>
#include <stdio.h>
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
  struct visible_chain chain; /* in hand */
  struct names texts;         /* of words */
  uint32_t *inner, *last;     /* by name id: the two words of a name */
  uint32_t *words;            /* of all chains, root first */
  size_t word_count, word_capacity;
  struct folded_chain *chains;
  size_t chain_count, chain_capacity;
};

/* The word of NAME as the LAST frame of a chain, or as another. */
static uint32_t
intern_word(struct folding *folding, const char *name, bool last)
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  escape_name(&sink, name, ";");
  if (!last)
    sink_text(&sink, ";");
  uint32_t word =
      sink_flush(&sink)
          ? names_intern(&folding->texts, text.text == NULL ? "" : text.text)
          : NAMES_NONE;
  free(text.text);
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

/* The same for a name of the profile, whose words are made once. */
static bool
push_name(struct folding *folding, uint32_t name, bool last)
{
  uint32_t *known = last ? &folding->last[name] : &folding->inner[name];
  if (*known == NAMES_NONE)
    *known = intern_word(
        folding, names_text(&folding->reduction->profile.names, name), last);
  return push_word(folding, *known);
}

static bool
push_text(struct folding *folding, const char *text, bool last)
{
  return push_word(folding, intern_word(folding, text, last));
}

/* Adds "[WHAT NAME]", without the blank when WHAT is empty. */
static bool
push_label(struct folding *folding, const char *what, const char *name)
{
  size_t size = strlen(what) + strlen(name) + sizeof "[ ]";
  char *text = malloc(size);
  if (text == NULL)
    return false;
  snprintf(text, size, "[%s%s%s]", what, *what == '\0' ? "" : " ", name);
  bool good = push_text(folding, text, false);
  free(text);
  return good;
}

/* Adds the words that stand before SAMPLE's chain. */
static bool
push_labels(struct folding *folding, const struct profile_sample *sample)
{
  const struct reduction *reduction = folding->reduction;
  const struct options *options = reduction->options;
  const struct profile *profile = &reduction->profile;
  enum phase phase =
      (enum phase)reduction->selection.phases[sample - profile->samples];
  return (!options->label_threads ||
          push_label(folding, "thread",
                     profile_thread_name(profile, sample->thread))) &&
         (!options->label_phases ||
          push_label(folding, "", phase_title(phase)));
}

/* Adds the words of SAMPLE's chain. */
static bool
push_chain(struct folding *folding, const struct profile_sample *sample)
{
  const struct selection *selection = &folding->reduction->selection;
  const struct profile *profile = &folding->reduction->profile;
  bool types = folding->reduction->options->types;
  struct visible_chain *chain = &folding->chain;
  if (!visible_chain_trace(chain, selection, sample))
    return false;
  for (size_t i = 0; i < chain->count; i++)
    if (!push_name(
            folding,
            profile->functions[profile->frames[chain->frames[i]].function]
                .name,
            i + 1 == chain->count && !types))
      return false;
  if (chain->count == 0 &&
      !push_text(folding,
                 nameless_name(selection_nameless(selection, sample)),
                 !types))
    return false;
  if (!types)
    return true;
  const struct profile_type *type = &profile->types[sample->type];
  uint32_t name = type->class_name != 0 ? type->class_name : type->type;
  return name != 0 ? push_name(folding, name, true)
                   : push_text(folding, "[unknown type]", true);
}

static bool
add_chain(struct folding *folding, const struct profile_sample *sample,
          uint64_t value)
{
  struct folded_chain *chains =
      array_reserve(folding->chains, &folding->chain_capacity,
                    folding->chain_count + 1, sizeof *chains);
  if (chains == NULL)
    return false;
  folding->chains = chains;
  chains[folding->chain_count++] =
      (struct folded_chain){.first = folding->word_count, .value = value};
  return push_labels(folding, sample) && push_chain(folding, sample);
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
  const struct profile *profile = &reduction->profile;
  folding->inner = no_words(profile->names.count);
  folding->last = no_words(profile->names.count);
  if (!names_init(&folding->texts) || folding->inner == NULL ||
      folding->last == NULL)
    return false;
  for (size_t i = 0; i < profile->sample_count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    uint64_t value = reduction_measure(reduction) == MEASURE_ALLOCS
                         ? sample->allocs
                         : sample->bytes;
    if (reduction->selection.kept[i] && value != 0 &&
        !add_chain(folding, sample, value))
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
  visible_chain_release(&folding.chain);
  free(folding.inner);
  free(folding.last);
  free(folding.words);
  free(folding.chains);
}
