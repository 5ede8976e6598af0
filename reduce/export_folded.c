/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folded stacks: a line a distinct chain, "root;...;leaf N", N being what
 * the leaf itself allocated; what flame graph programs read.
 *
 * Lines are sorted by their bytes, zeros are left out.  Names may hold any
 * character: ";", "\" and whatever could end a line are written as \x3b, \\,
 * \n and so on, so that a line is one chain and names can be had back.
 */

#include "array.h"
#include "output.h"
#include "text_table.h"

#include <errno.h>
#include <string.h>

static const char frame_separator = ';';

/* The distinct chains, as text, and what was allocated at each. */
struct folding {
  const struct reduction *reduction;
  struct names chains;
  uint64_t *values; /* by chain */
  size_t capacity;
};

struct folded_line {
  const char *chain;
  uint64_t value;
};

static void
write_frame(struct sink *sink, const char *name, bool *first)
{
  if (!*first)
    sink_bytes(sink, &frame_separator, 1);
  *first = false;
  escape_name(sink, name, ";");
}

static void
write_chain(const struct folding *folding,
            const struct profile_sample *sample, struct sink *sink)
{
  const struct selection *selection = &folding->reduction->selection;
  const struct profile *profile = &folding->reduction->profile;
  bool first = true;
  size_t length;
  const uint32_t *chain = selection_chain(selection, sample, &length);
  for (size_t i = length; i-- > 0;) {
    uint32_t function = profile->frames[chain[i]].function;
    if (!selection->hidden[function])
      write_frame(
          sink,
          names_text(&profile->names, profile->functions[function].name),
          &first);
  }
  if (first)
    write_frame(sink, nameless_name(selection_nameless(selection, sample)),
                &first);
  if (folding->reduction->options->types) {
    const char *type =
        tally_type_name(profile, &profile->types[sample->type]);
    write_frame(sink, *type == '\0' ? "[unknown type]" : type, &first);
  }
}

static bool
add_sample(struct folding *folding, const struct profile_sample *sample,
           uint64_t value)
{
  struct sink_string text = {0};
  struct sink sink;
  sink_init(&sink, sink_write_string, &text);
  write_chain(folding, sample, &sink);
  uint32_t chain = sink_flush(&sink)
                       ? names_intern(&folding->chains, text.text)
                       : NAMES_NONE;
  free(text.text);
  if (chain == NAMES_NONE)
    return false;
  size_t before = folding->capacity;
  uint64_t *values = array_reserve(folding->values, &folding->capacity,
                                   folding->chains.count, sizeof *values);
  if (values == NULL)
    return false;
  if (folding->capacity > before)
    memset(values + before, 0, (folding->capacity - before) * sizeof *values);
  folding->values = values;
  values[chain] += value;
  return true;
}

/* By the text of the chain. */
static int
compare_lines(const void *left, const void *right)
{
  const struct folded_line *a = left;
  const struct folded_line *b = right;
  return strcmp(a->chain, b->chain);
}

static bool
write_lines(const struct folding *folding, struct sink *sink)
{
  size_t count = folding->chains.count;
  struct folded_line *lines = array_zeroed(count, sizeof *lines);
  if (lines == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    lines[i] = (struct folded_line){
        folding->chains.texts[i],
        folding->values == NULL ? 0 : folding->values[i]};
  array_sort(lines, count, sizeof *lines, compare_lines);
  for (size_t i = 0; i < count; i++)
    if (lines[i].value != 0) {
      sink_text(sink, lines[i].chain);
      sink_format(sink, " %llu\n", (unsigned long long)lines[i].value);
    }
  free(lines);
  return true;
}

static bool
fold(struct folding *folding, struct sink *sink)
{
  const struct reduction *reduction = folding->reduction;
  if (!names_init(&folding->chains))
    return false;
  for (size_t i = 0; i < reduction->profile.sample_count; i++) {
    const struct profile_sample *sample = &reduction->profile.samples[i];
    uint64_t value = reduction->options->value == MEASURE_ALLOCS
                         ? sample->allocs
                         : sample->bytes;
    if (reduction->selection.kept[i] && value != 0 &&
        !add_sample(folding, sample, value))
      return false;
  }
  return write_lines(folding, sink);
}

void
export_folded(const struct reduction *reduction, struct sink *sink)
{
  struct folding folding = {.reduction = reduction};
  if (!fold(&folding, sink))
    sink_fail(sink, ENOMEM);
  names_release(&folding.chains);
  free(folding.values);
}
