/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * notes.c -- see notes.h.  A number is noted when it is met first.
 */
#include "snapshot/notes.h"

#include <stdio.h>

#include <ecl/ecl.h>

#include "names/boxes.h"
#include "names/classify.h"
#include "names/kept_objects.h"
#include "names/lisp_functions.h"

struct noting {
  struct note_list *notes;
  struct arena functions;             /* a bit by number: it is noted */
  struct intern_table types, classes; /* that are noted */
  struct intern_table unloaded;       /* the same of files, by number */
};

void
note_program(struct note_list *notes)
{
  char program[300];
  snprintf(program, sizeof program, "ECL %s", monitor.runtime_version);
  note_add(notes, NOTE_PROGRAM, 0, 0, 0, program);
  note_add(notes, NOTE_ROOT, 0, 0, 0, MPROF_ROOT_FUNCTION);
}

void
note_type(struct note_list *notes, uint32_t what)
{
  note_add(notes, NOTE_TYPE, NOTE_TYPE_BITS(what), classify_category(what), 0,
           classify_type_name(what));
}

void
note_allocator(struct note_list *notes, uint32_t what)
{
  const uint64_t site = boxes_site(what);
  if (site != 0)
    note_add(notes, NOTE_ALLOCATOR, NOTE_TYPE_BITS(what),
             code_function_of_site(site), 0, NULL);
}

/* Whether the key is new in the table. */
static bool
is_new(struct note_list *notes, struct intern_table *table, uint64_t key)
{
  const uint32_t before = table->count;
  const uint32_t number = intern_key(table, key);
  notes->failed |= number == 0;
  return number > before;
}

/* ---- functions ---- */

/* Whether it was not noted before. */
static bool
is_new_function(struct noting *n, uint32_t number)
{
  uint64_t *const word = (uint64_t *)n->functions.base + number / 64;
  const uint64_t bit = UINT64_C(1) << number % 64;
  const bool first = (*word & bit) == 0;
  *word |= bit;
  return first;
}

/* The file that the code of a function was from that is unloaded. */
static void
note_unloaded(struct noting *n, uint32_t number)
{
  const struct code_function *const f = code_function_at(number);
  const size_t place = RETIRED_OBJECT(f->retired);
  if (f->code == 0 && place != 0 && is_new(n->notes, &n->unloaded, place))
    code_object_note(n->notes, &code_objects_unloaded.objects[place - 1],
                     NOTE_RETIRED);
}

static void
note_function(struct noting *n, uint64_t site)
{
  const uint32_t number = (uint32_t)(site & FUNCTION_NUMBER);
  if ((site & SITE_PLACE) == 0 || !is_new_function(n, number))
    return;
  if (number < FUNCTION_OBJECT_BASE) {
    note_unloaded(n, number);
    code_function_note(n->notes, number);
  } else
    kept_objects_note_function(n->notes, number);
}

static void
note_functions(struct noting *n, const struct thread_figures *t)
{
  for (uint32_t i = CONTEXT_FIRST; i < t->context_count; i++)
    note_function(n, t->tree.contexts[i].site);
  for (uint32_t i = LEAF_FIRST; i < t->leaf_count; i++)
    note_function(n, t->tree.leaves[i].site);
}

/* ---- kinds ---- */

static void
note_kind(struct noting *n, const struct kind *kind)
{
  const uint64_t site = boxes_site(kind->what);
  if (is_new(n->notes, &n->types, NOTE_TYPE_BITS(kind->what) + UINT64_C(1))) {
    note_type(n->notes, kind->what);
    note_allocator(n->notes, kind->what);
  }
  if (site != 0)
    note_function(n, site_place(code_function_of_site(site), 0, 0));
  if (kind->clas != 0 && is_new(n->notes, &n->classes, kind->clas))
    kept_objects_note_class(n->notes, (cl_object)(uintptr_t)kind->clas);
}

/* ---- the whole ---- */

static void
note_modules(struct note_list *notes)
{
  for (size_t i = 0; i < monitor.code.count; i++)
    code_object_note(notes, &monitor.code.objects[i], NOTE_MODULE);
}

void
snapshot_notes(struct note_list *notes, const struct lisp_figures *figures)
{
  struct noting n = {.notes = notes};
  if (arena_reserve(&n.functions, ((size_t)FUNCTION_NUMBER + 1) / 8) != 0) {
    notes->failed = true;
    return;
  }
  note_program(notes);
  note_modules(notes);
  for (uint32_t i = 0; i < figures->thread_count && !notes->failed; i++) {
    const struct thread_figures *const t = &figures->threads[i];
    if (t->thread->label == NULL) {
      notes->failed = true;
      break;
    }
    note_add(notes, NOTE_THREAD, i + 1, 0, 0, t->thread->label);
    note_functions(&n, t);
    for (uint32_t k = 0; k < t->tree.kind_count; k++)
      note_kind(&n, &t->tree.kinds[k]);
  }
  arena_release(&n.functions);
  intern_table_release(&n.types);
  intern_table_release(&n.classes);
  intern_table_release(&n.unloaded);
}

void
snapshot_holders(struct note_list *notes, const struct holder_names *names)
{
  const struct holder *const all = names->holders.base;
  struct intern_table types = {0};
  for (uint32_t i = 1; i <= names->names.count; i++) {
    const struct holder *const h = &all[i];
    if (h->category != 0 && is_new(notes, &types, h->what))
      note_type(notes, h->what);
    note_add(notes, NOTE_HOLDER, i,
             h->what | (uint64_t)h->category << NOTE_CATEGORY_SHIFT, 0,
             intern_table_text(&names->names, i));
  }
  intern_table_release(&types);
}
