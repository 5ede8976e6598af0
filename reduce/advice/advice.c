/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Collects the samples for which a rule holds into pieces of advice, and
 * sorts these by the bytes that they would save.  Callers and sizes are
 * counted on the way. */

#include "advice/advice.h"

#include "base/array.h"

#include <string.h>

enum { STRING_HEADER_BYTES = 40 };

struct search {
  struct matcher matcher;
  struct row_table keys; /* rule, culprit, line */
  struct advice *items;
  size_t count, capacity;
  struct row_table ways; /* advice, function, whether that is the caller */
  uint64_t *way_bytes;   /* that came by each */
  size_t way_count, way_capacity;
  struct row_table sizes; /* advice, size */
};

/* ---- gathering ---- */

/* Notes that BYTES of the advice ITEM came by FUNCTION, which may be
 * INDEX_NONE, and chooses the first one of those with most bytes. */
static void
add_way(struct search *search, uint32_t item, uint32_t function, bool caller,
        uint64_t bytes)
{
  const uint64_t key[] = {item, function, caller};
  uint32_t row = row_table_add(&search->ways, key, 3);
  if (row == search->way_count)
    ARRAY_PUSH(search->way_bytes, search->way_count, search->way_capacity, 0);
  struct advice *advice = &search->items[item];
  const struct frame_table *frames = &search->matcher.view->frames;
  const uint32_t most = advice->ways[caller];
  uint64_t *way_bytes = search->way_bytes;
  way_bytes[row] += bytes;
  if (most == INDEX_NONE || way_bytes[row] > way_bytes[most] ||
      (way_bytes[row] == way_bytes[most] && row < most)) {
    advice->ways[caller] = row;
    *(caller ? &advice->caller : &advice->called) =
        function == INDEX_NONE ? NULL : function_name(frames, function);
  }
}

/* Notes the size of the objects that the advice ITEM has of COUNT. */
static void
add_size(struct search *search, uint32_t item,
         const struct sample_count *count)
{
  struct advice *advice = &search->items[item];
  const uint64_t size = count->object_bytes;
  const uint64_t key[] = {item, size};
  size_t sizes = search->sizes.row_count;
  if (count->size_kind != SIZE_EXACT) {
    advice->larger = true;
    return;
  }
  row_table_add(&search->sizes, key, 2);
  advice->least =
      advice->sizes == 0 || size < advice->least ? size : advice->least;
  advice->most = size > advice->most ? size : advice->most;
  advice->sizes += search->sizes.row_count - sizes;
}

/* Adds what COUNT counts to the advice on what is FOUND. */
static void
gather(struct search *search, const struct finding *found,
       const struct sample_count *count)
{
  const struct view *view = search->matcher.view;
  const struct rule *rule = &search->matcher.rules[found->rule];
  while (*rule->values[RULE_NAME] == '\0')
    rule--;
  const uint64_t key[] = {(uintptr_t)rule, found->culprit,
                          (uint64_t)found->line};
  const uint64_t bytes = count->counts[MEASURE_BYTES];
  const struct figures more = figures_of(view->profile, count);
  uint32_t item = row_table_add(&search->keys, key, 3);
  if (item == search->count)
    ARRAY_PUSH(search->items, search->count, search->capacity,
               (struct advice){
                   .rule = rule,
                   .culprit = found->culprit,
                   .function = function_name(&view->frames, found->culprit),
                   .file = function_file(&view->frames, found->culprit),
                   .line = found->line,
                   .calls = CALLS_UNKNOWN,
                   .ways = {INDEX_NONE, INDEX_NONE}});
  add_way(search, item, found->called, false, bytes);
  add_way(search, item, found->caller, true, bytes);
  figures_add(&search->items[item].figures, &more);
  if (!found->counted)
    return;
  search->items[item].objects += count->counts[MEASURE_ALLOCS];
  add_size(search, item, count);
}

/* ---- the whole ---- */

static uint64_t
saved_bytes(const struct advice *advice)
{
  const uint64_t bytes = advice->figures.bytes, objects = advice->objects;
  const uint64_t headers = objects * STRING_HEADER_BYTES;
  if (rule_says(advice->rule, RULE_SAVES, "all-of-many"))
    return objects == 1 ? 0 : bytes;
  if (!rule_says(advice->rule, RULE_SAVES, "width"))
    return bytes;
  /* strings of 4 bytes a character get 1 byte, and one at the end */
  return bytes > headers && (bytes - headers) / 4 * 3 > objects
             ? (bytes - headers) / 4 * 3 - objects
             : 0;
}

static int
compare(const void *left, const void *right)
{
  const struct advice *a = left, *b = right;
  return array_order(b->saved, a->saved)
             ?: strcmp(a->function, b->function)
             ?: strcmp(a->rule->values[RULE_NAME], b->rule->values[RULE_NAME])
             ?: array_order((uint64_t)a->line, (uint64_t)b->line)
             ?: array_order((uintptr_t)a->rule, (uintptr_t)b->rule);
}

/* Completes ADVICE, once it is in its place. */
static void
complete(struct advice *advice, const struct view *view)
{
  const struct function *culprit = &view->frames.functions[advice->culprit];
  const uint32_t node = view->tree.item_of[culprit->name];
  if (advice->line == 0)
    advice->line = culprit->start_line;
  if (node != INDEX_NONE &&
      view->graph.nodes[node].function == advice->culprit)
    advice->calls = view->graph.nodes[node].calls;
}

void
advice_list_init(struct advice_list *list, const struct view *view)
{
  struct search search = {0};
  *list = (struct advice_list){NULL, 0};
  if (!advice_applies(view))
    return;
  matcher_init(&search.matcher, view);
  for (size_t i = 0; i < view->profile->sample_count; i++) {
    const uint32_t node = view->profile->samples[i].node;
    struct sample_count count;
    struct finding found;
    if (!selection_keeps(&view->selection, i))
      continue;
    selection_count(&view->selection, i, &count);
    if (matcher_find(&search.matcher, node, count.type, &found))
      gather(&search, &found, &count);
  }
  pool_free(search.matcher.names); /* a byte for each rule and name */
  list->items = search.items;
  for (size_t i = 0; i < search.count; i++) {
    struct advice *advice = &search.items[i];
    advice->saved = saved_bytes(advice);
    if (advice->saved != 0) /* else it is left out */
      list->items[list->count++] = *advice;
  }
  array_sort(list->items, list->count, sizeof *list->items, compare);
  for (size_t i = 0; i < list->count; i++)
    complete(&list->items[i], view);
}

/* Returns the definition that the function NAME is local to, or NAME: the F
 * of (LAMBDA :IN F) and of (FLET G :IN (LAMBDA :IN F)). */
static const char *
definition_of(const char *name)
{
  static const char in[] = " :IN ";
  const char *rest = name, *next;
  size_t levels = 0;
  for (; (next = strstr(rest, in)) != NULL; levels++)
    rest = next + strlen(in);
  const size_t length = strlen(rest);
  return levels == 0 || length <= levels
             ? name
             : pool_format("%.*s", (int)(length - levels), rest);
}

static int
compare_definitions(const void *left, const void *right)
{
  const struct advice *a = left, *b = right;
  return strcmp(a->definition, b->definition) ?: compare(left, right);
}

/* Orders pieces by what all of their definition save, then as above. */
static int
compare_groups(const void *left, const void *right)
{
  const struct advice *a = left, *b = right;
  return array_order(b->all_saved, a->all_saved)
             ?: compare_definitions(left, right);
}

void
advice_list_group(struct advice_list *list)
{
  struct advice *items = list->items;
  for (size_t i = 0; i < list->count; i++)
    items[i].definition = definition_of(items[i].function);
  array_sort(items, list->count, sizeof *items, compare_definitions);
  for (size_t i = 0, end; i < list->count; i = end) {
    uint64_t saved = 0;
    end = advice_group_end(list, i);
    for (size_t j = i; j < end; j++)
      saved += items[j].saved;
    for (size_t j = i; j < end; j++)
      items[j].all_saved = saved;
  }
  array_sort(items, list->count, sizeof *items, compare_groups);
}

size_t
advice_group_end(const struct advice_list *list, size_t start)
{
  size_t end = start + 1;
  while (end < list->count && strcmp(list->items[end].definition,
                                     list->items[start].definition) == 0)
    end++;
  return end;
}

bool
advice_applies(const struct view *view)
{
  return view->options->rules != NULL &&
         view->profile->language == LANGUAGE_LISP &&
         view->options->by == BY_FUNCTION && !view_is_substituted(view);
}
