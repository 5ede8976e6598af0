/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SURVIVAL: how many collections objects survive, by the function that
 * allocated them and their type.  Only what a function itself
 * allocated counts, as in DIRECT ALLOCATION.
 *
 * Shares are shares of the bytes of a row of which it is known what became of
 * them: of several files perhaps some do not say.
 */

#include "base/array.h"
#include "tables/report.h"
#include "tables/table.h"

enum id { CATEGORY, TYPE, CLASS, FUNCTION, FIGURES };

/* Where figures begin: objects, then bytes, by band. */
enum { DIED = 0, NEW = 2 * PPROF_SURVIVAL_BANDS };

/* What stands from INDEX on: in the text a share of bytes. */
#define SURVIVAL(index, name, ...)                                           \
  {.id = FIGURES + (index) + 1,                                              \
   .keys = KEY(name "_bytes"),                                               \
   .sums = true,                                                             \
   __VA_ARGS__},                                                             \
  {                                                                          \
    .id = FIGURES + (index), .keys = KEY(name "_allocations")                \
  }

/* The first one of a group of SPAN. */
#define GROUP(span, top, bottom) .text = {top, span, bottom, 2, false}

static const struct column columns[] = {
    {.id = FUNCTION, .keys = KEY("function"), .first = true},
    {.id = CATEGORY, .keys = {NULL, "category", "category"}, .first = true},
    {.id = TYPE, .keys = KEY("type"), .first = true},
    {.id = CLASS, .keys = {NULL, "class", "class"}, .first = true},
    ALL_COUNTS,
    {FIGURE(BYTES), HEADING(0, NULL, "bytes"), .share = true,
     .meaning = "bytes of this type that the function itself allocated, and "
                "their share of all bytes"},
    {FIGURE(ALLOCS), HEADING(2, NULL, "allocs"),
     .meaning = "number of objects; bodies that grew later do not count"},
    SURVIVAL(DIED, "died_0", GROUP(5, "% died after", "0"),
             .term = "died after",
             .meaning = "share of these bytes that is dead, by the number of "
                        "collections survived"),
    SURVIVAL(DIED + 2, "died_1", HEADING(1, NULL, "1")),
    SURVIVAL(DIED + 4, "died_2", HEADING(1, NULL, "2+")),
    SURVIVAL(DIED + 6, "died_4", HEADING(1, NULL, "4+")),
    SURVIVAL(DIED + 8, "died_8", HEADING(1, NULL, "8+")),
    SURVIVAL(NEW + 2, "live_1", GROUP(4, "% alive after", "1"),
             .term = "alive after",
             .meaning = "share of these bytes that was alive at the last "
                        "collection, by the number of collections survived, "
                        "including that one"),
    SURVIVAL(NEW + 4, "live_2", HEADING(1, NULL, "2+")),
    SURVIVAL(NEW + 6, "live_4", HEADING(1, NULL, "4+")),
    SURVIVAL(NEW + 8, "live_8", HEADING(1, NULL, "8+")),
    SURVIVAL(NEW, "new", HEADING(2, NULL, "new"),
             .meaning = "share of these bytes allocated after the last "
                        "collection, whose survival is unknown"),
    {.id = TYPE,
     LEFT_HEADING(2, "type"),
     .meaning = "the class of instances and structures, else the type"},
    {.content = CONTENT_NAME,
     LEFT_HEADING(2, "function"),
     .meaning = "name of the function"},
    ALL_MORE,
};

/* What one function itself allocated of one type. */
struct pair {
  uint32_t node, type;
  struct figures figures;
  struct survival_figures survival;
};

struct survival {
  struct pair *pairs;
  size_t count, capacity;
  struct index_map known; /* by node and type */
  struct survival_figures total;
};

static void
add_sample(struct survival *s, const struct reduction *reduction,
           uint32_t node, size_t i)
{
  struct sample_count count;
  selection_count(&reduction->selection, i, &count);
  uint32_t item = reduction->tree.tree.nodes[node].item;
  uint32_t at = index_map_number(&s->known, index_pair(item, count.type));
  struct figures figures = figures_of(reduction->profile, &count);
  if (at == s->count)
    ARRAY_PUSH(s->pairs, s->count, s->capacity,
               (struct pair){.node = item, .type = count.type});
  figures_add(&s->pairs[at].figures, &figures);
  profile_add_survival(reduction->profile, i, &s->pairs[at].survival);
  profile_add_survival(reduction->profile, i, &s->total);
}

static void
init(struct view *view)
{
  const struct reduction *reduction = view->reduction;
  const uint32_t *of_sample = reduction->tree.of_sample;
  if (!reduction_knows_survival(reduction))
    return;
  for (size_t i = 0; i < reduction->profile->sample_count; i++)
    if (of_sample[i] != INDEX_NONE)
      add_sample(view->context, reduction, of_sample[i], i);
}

static bool
row(const struct view *view, size_t item, struct ranking_row *row)
{
  const struct survival *s = view->context;
  if (item == s->count)
    return false;
  row->figures = &s->pairs[item].figures;
  row->name = view->reduction->graph.nodes[s->pairs[item].node].name;
  row->rank = s->pairs[item].type;
  return true;
}

static struct cell
figure_cell(const struct view *view, const struct survival_figures *figures,
            int index)
{
  uint64_t whole = 0;
  if (view->form != FORM_TEXT)
    return cell_number(figures->counts[index]);
  for (int i = 1; i < PPROF_SURVIVAL_FIGURES; i += 2)
    whole += figures->counts[i];
  return (struct cell){
      .kind = CELL_SHARE, .number = figures->counts[index], .whole = whole};
}

static struct cell
cell(const struct view *view, const struct ranking_row *row, int id)
{
  const struct survival *s = view->context;
  const struct profile *profile = view->reduction->profile;
  if (row->item == (size_t)NO_ITEM)
    return figure_cell(view, &s->total, id - FIGURES);
  const struct pair *pair = &s->pairs[row->item];
  const struct profile_type *type = &profile->types[pair->type];
  switch (id) {
  case FUNCTION:
    return cell_reference(TO_FUNCTIONS, pair->node);
  case CATEGORY:
    return cell_text(category_name(profile->language, type->category));
  case CLASS:
    return cell_text(names_text(&profile->names, type->class_name));
  case TYPE:
    return view->form == FORM_JSON ? cell_reference(TO_TYPES, pair->type)
           : view->form == FORM_TEXT
               ? cell_text(tally_type_name(profile, type))
               : cell_text(names_text(&profile->names, type->type));
  default:
    return figure_cell(view, &pair->survival, id - FIGURES);
  }
}

static void
legend(const struct view *view, struct sink *sink)
{
  report_legend(view->reduction, sink, "0 1 2+ 4+ 8+",
                "number of collections; 2+ means 2 or 3, 4+ means 4 to 7; "
                "objects that died after 0 did not survive their first "
                "collection, or were freed before it");
}

static const char *
lacks(const struct reduction *reduction)
{
  if (reduction_knows_survival(reduction))
    return NULL;
  return reduction_is_substituted(reduction)
             ? "Survival is known of all allocations only, not with --value."
             : "This profile does not record survival: start with "
               "(mprof:start :live t).";
}

const struct table survival_table = {
    .title = "SURVIVAL",
    .rows = "functions with a type",
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .lacks = lacks,
    .context_bytes = sizeof(struct survival),
    .init = init,
    .legend = legend,
};
