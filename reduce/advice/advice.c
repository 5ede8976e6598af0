/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "advice/advice.h"

#include "advice/culprit.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { STRING_HEADER_BYTES = 40 };

/* Bytes that came by a function, to find the one with most. */
struct share {
  uint32_t advice, function; /* this may be INDEX_NONE */
  bool caller;
  uint64_t bytes;
};

struct search {
  struct rule_bits bits;
  struct row_table keys; /* rule, culprit, line */
  struct advice *items;
  size_t count, capacity;
  struct row_table share_keys; /* advice, function, caller */
  struct share *shares;
  size_t share_count, share_capacity;
  struct row_table sizes; /* advice, size */
};

static void
search_release(struct search *search)
{
  rule_bits_release(&search->bits);
  free(search->shares);
  row_table_release(&search->keys);
  row_table_release(&search->share_keys);
  row_table_release(&search->sizes);
}

/* ---- gathering ---- */

/* Notes that BYTES of the advice with the number ADVICE came by FUNCTION. */
static bool
add_share(struct search *search, uint32_t advice, uint32_t function,
          bool caller, uint64_t bytes)
{
  const uint64_t key[] = {advice, function, caller};
  uint32_t row = row_table_add(&search->share_keys, key, 3);
  row = ROW_ITEM(row, search->shares, search->share_count,
                 search->share_capacity,
                 (struct share){advice, function, caller, 0});
  if (row == ROW_NONE)
    return false;
  search->shares[row].bytes += bytes;
  return true;
}

/* Notes the size of the objects that the advice ROW has of COUNT. */
static bool
add_size(struct search *search, uint32_t row,
         const struct sample_count *count)
{
  struct advice *advice = &search->items[row];
  const uint64_t size = count->object_bytes, key[] = {row, size};
  size_t sizes = search->sizes.row_count;
  if (count->size_kind != SIZE_EXACT) {
    advice->larger = true;
    return true;
  }
  if (row_table_add(&search->sizes, key, 2) == ROW_NONE)
    return false;
  advice->least =
      advice->sizes == 0 || size < advice->least ? size : advice->least;
  advice->most = size > advice->most ? size : advice->most;
  advice->sizes += search->sizes.row_count - sizes;
  return true;
}

/* Adds what COUNT counts to the advice of the first of RULES. */
static bool
gather(struct search *search, const struct walk *walk, uint64_t rules,
       const struct sample_count *count)
{
  unsigned rule = (unsigned)__builtin_ctzll(rules);
  while (advice_rules[rule]->name == NULL)
    rule--;
  const uint64_t key[] = {rule, walk->culprit, (uint64_t)walk->line};
  const uint64_t bytes = count->counts[MEASURE_BYTES];
  const struct figures more =
      figures_of(search->bits.reduction->profile, count);
  uint32_t row = row_table_add(&search->keys, key, 3);
  row = ROW_ITEM(row, search->items, search->count, search->capacity,
                 (struct advice){.rule = advice_rules[rule],
                                 .culprit = walk->culprit,
                                 .line = walk->line});
  if (row == ROW_NONE ||
      !add_share(search, row, walk->called, false, bytes) ||
      !add_share(search, row, find_caller(walk), true, bytes))
    return false;
  struct advice *advice = &search->items[row];
  figures_add(&advice->figures, &more);
  if ((search->bits.counted[count->type] >> rule & 1) == 0)
    return true;
  advice->objects += count->counts[MEASURE_ALLOCS];
  return add_size(search, row, count);
}

static bool
gather_all(struct search *search)
{
  const struct selection *selection = &search->bits.reduction->selection;
  const struct profile *profile = search->bits.reduction->profile;
  for (size_t i = 0; i < profile->sample_count; i++) {
    struct sample_count count;
    struct walk walk;
    if (!selection_keeps(selection, i))
      continue;
    selection_count(selection, i, &count);
    uint64_t rules = find_culprit(&search->bits, profile->samples[i].node,
                                  count.type, &walk);
    if (rules != 0 && !gather(search, &walk, rules, &count))
      return false;
  }
  return true;
}

/* ---- the whole ---- */

/* Of those that each advice came by, the one with most bytes. */
static bool
choose_functions(struct search *search)
{
  uint64_t *most = array_zeroed(search->count * 2, sizeof *most);
  if (most == NULL)
    return false;
  for (size_t i = 0; i < search->share_count; i++) {
    const struct share *share = &search->shares[i];
    struct advice *advice = &search->items[share->advice];
    uint64_t *bytes = &most[share->advice * 2 + share->caller];
    if (share->bytes < *bytes)
      continue;
    *bytes = share->bytes + 1; /* the first one of equals stays */
    *(share->caller ? &advice->caller : &advice->called) = share->function;
  }
  free(most);
  return true;
}

/* The calls of each culprit, where the graph counts them. */
static bool
find_calls(struct search *search)
{
  const struct reduction *reduction = search->bits.reduction;
  const struct call_graph *graph = &reduction->graph;
  size_t functions = reduction->frames.function_count;
  uint64_t *calls = array_zeroed(functions, sizeof *calls);
  if (calls == NULL)
    return false;
  for (size_t i = 0; i < functions; i++)
    calls[i] = CALLS_UNKNOWN;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].function != INDEX_NONE)
      calls[graph->nodes[i].function] = graph->nodes[i].calls;
  for (size_t i = 0; i < search->count; i++)
    search->items[i].calls = calls[search->items[i].culprit];
  free(calls);
  return true;
}

static uint64_t
saved_bytes(const struct advice *advice)
{
  const uint64_t bytes = advice->figures.bytes, objects = advice->objects;
  const uint64_t headers = objects * STRING_HEADER_BYTES;
  switch (advice->rule->saving) {
  case SAVES_ALL_OF_MANY:
    return objects == 1 ? 0 : bytes;
  case SAVES_ALL_BUT_ONE:
    return objects == 0 ? bytes : bytes - bytes / objects;
  case SAVES_WIDTH:
    return bytes > headers && (bytes - headers) / 4 * 3 > objects
               ? (bytes - headers) / 4 * 3 - objects
               : 0;
  default:
    return bytes;
  }
}

static int
compare(const void *left, const void *right, void *context)
{
  const struct advice *a = left, *b = right;
  const struct frame_table *frames = context;
  if (a->saved != b->saved)
    return a->saved > b->saved ? -1 : 1;
  int order = strcmp(function_name(frames, a->culprit),
                     function_name(frames, b->culprit));
  if (order == 0)
    order = strcmp(a->rule->name, b->rule->name);
  return order != 0 ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* Moves what saves anything from SEARCH to LIST, in order. */
static void
take(struct advice_list *list, struct search *search)
{
  list->items = search->items;
  for (size_t i = 0; i < search->count; i++) {
    struct advice *advice = &search->items[i];
    advice->saved = saved_bytes(advice);
    if (advice->saved != 0)
      list->items[list->count++] = *advice;
  }
  if (list->count > 0)
    qsort_r(list->items, list->count, sizeof *list->items, compare,
            (void *)(uintptr_t)&search->bits.reduction->frames);
}

bool
advice_list_init(struct advice_list *list, const struct reduction *reduction)
{
  struct search search = {0};
  *list = (struct advice_list){NULL, 0};
  if (!advice_applies(reduction))
    return true;
  bool good = rule_bits_init(&search.bits, reduction) &&
              gather_all(&search) && choose_functions(&search) &&
              find_calls(&search);
  take(list, &search);
  search_release(&search);
  return good;
}

void
advice_list_release(struct advice_list *list)
{
  free(list->items);
}

bool
advice_applies(const struct reduction *reduction)
{
  return reduction->profile->language == LANGUAGE_LISP &&
         reduction->options->by == BY_FUNCTION &&
         !reduction_is_substituted(reduction);
}

const char *
advice_file(const struct reduction *reduction, const struct advice *advice)
{
  return function_file(&reduction->frames, advice->culprit);
}

int64_t
advice_line(const struct reduction *reduction, const struct advice *advice)
{
  return advice->line != 0
             ? advice->line
             : reduction->frames.functions[advice->culprit].start_line;
}
