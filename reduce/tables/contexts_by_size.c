/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was allocated at the end of each chain, by type and size, phase and
 * thread, with the numbers of its samples: for the format lisp.  Chains are
 * in contexts.c.
 */

#include "tables/sample_rows.h"
#include "tables/table.h"

enum id { CHAIN, CATEGORY, TYPE, CLASS, SIZE, PHASE, THREAD, SAMPLES };

#define LISP_KEY(key)                                                        \
  {                                                                          \
    [FORM_LISP] = key                                                        \
  }

static const struct column columns[] = {
    {OWN(CHAIN), .keys = LISP_KEY("chain")},
    {OWN(CATEGORY), .keys = LISP_KEY("category")},
    {OWN(TYPE), .keys = LISP_KEY("type")},
    {OWN(CLASS), .keys = LISP_KEY("class")},
    {OWN(SIZE), .keys = LISP_KEY("size")},
    {OWN(PHASE), .keys = LISP_KEY("phase")},
    {OWN(THREAD), .keys = LISP_KEY("thread")},
    ALL_COUNTS,
    {OWN(SAMPLES), .keys = LISP_KEY("samples")},
};

struct contexts {
  struct chains chains;
  struct sample_rows rows;
  struct figures *figures; /* by row */
  struct lists samples;    /* likewise */
  uint64_t *numbers;       /* room for the samples of a row */
};

static void
init(struct listing *listing)
{
  struct contexts *contexts = listing->context;
  struct chains *chains = &contexts->chains;
  struct sample_rows *rows = &contexts->rows;
  const size_t count = listing->view->profile->sample_count;
  chains_init(chains, &listing->view->tree, false);
  sample_rows_init(rows, chains->tree, ROWS_OF_CONTEXTS);
  rows->of_sample = pool_alloc(count * sizeof *rows->of_sample);
  for (size_t i = 0; i < count; i++)
    rows->of_sample[i] = INDEX_NONE;
  for (size_t i = 1; i < chains->count; i++)
    sample_rows_add(rows, chains->walk[i]);
  contexts->figures = pool_zeroed(rows->count, sizeof *contexts->figures);
  for (size_t i = 0; i < rows->count; i++)
    for (int m = 0; m < MEASURE_COUNT; m++)
      contexts->figures[i].counts[m] = rows->rows[i].counts[m];
  lists_init(&contexts->samples, rows->count, rows->of_sample, count);
  contexts->numbers = pool_zeroed(count, sizeof *contexts->numbers);
}

static bool
row(const struct listing *listing, size_t item, struct ranking_row *row)
{
  const struct contexts *contexts = listing->context;
  if (item == contexts->rows.count)
    return false;
  row->figures = &contexts->figures[item];
  row->rank = item;
  return true;
}

/* Returns the size of the objects in ROW, or the keyword for it. */
static struct cell
size_cell(const struct sample_row *row)
{
  static const char *const words[] = {[SIZE_LARGE] = "large",
                                      [SIZE_GROWTH] = "grown",
                                      [SIZE_UNKNOWN] = "unknown"};
  const uint64_t kind = row->keys[ROW_SIZE_KIND];
  if (kind == SIZE_EXACT)
    return cell_number(row->keys[ROW_OBJECT_BYTES]);
  return (struct cell){.kind = CELL_KEYWORD, .text = words[kind]};
}

static struct cell
samples_cell(const struct contexts *contexts, size_t row)
{
  struct cell cell = {.kind = CELL_NUMBERS, .counts = contexts->numbers};
  uint32_t sample = lists_first(&contexts->samples, row);
  for (; sample != INDEX_NONE;
       sample = lists_next(&contexts->samples, sample))
    contexts->numbers[cell.number++] = sample;
  return cell;
}

static struct cell
cell(const struct listing *listing, const struct ranking_row *row, int id)
{
  const struct contexts *contexts = listing->context;
  const struct sample_row *context = &contexts->rows.rows[row->item];
  const struct profile *profile = listing->view->profile;
  const struct profile_type *type = &profile->types[context->keys[ROW_TYPE]];
  switch ((enum id)id) {
  case CHAIN:
    return cell_reference(TO_CONTEXTS,
                          contexts->chains.places[context->node] - 1);
  case CATEGORY:
    return cell_text(category_name(profile->language, type->category));
  case TYPE:
    return cell_text(names_text(&profile->names, type->type));
  case CLASS:
    return cell_text(names_text(&profile->names, type->class_name));
  case SIZE:
    return size_cell(context);
  case PHASE:
    return cell_text(phase_texts[context->keys[ROW_PHASE]].word);
  case THREAD:
    return cell_text(profile_thread_name(profile, context->keys[ROW_THREAD]));
  default:
    return samples_cell(contexts, row->item);
  }
}

const struct table contexts_by_size_table = {
    .keeps_empty = true,
    COLUMNS(columns),
    .row = row,
    .cell = cell,
    .context_bytes = sizeof(struct contexts),
    .init = init,
};
