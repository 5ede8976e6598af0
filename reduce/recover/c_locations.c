/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of a C program are addresses in mapped files: who reads the profile
 * puts names and lines to them.  Where there is no address stands what it is
 * instead, and an ECL without hooks has names for functions of Lisp.
 */

#include "recover/c_recovery.h"

#include "code/function_numbers.h"

#include <string.h>

/* ---- files of code ------------------------------------------------------- */

static uint32_t
add_mapping(struct c_recovery *r, const struct note_module *m)
{
  struct building *b = &r->building;
  const size_t length = strlen(m->build_id);
  const bool good = strspn(m->build_id, "0123456789abcdef") == length;
  const struct profile_mapping mapping = {
      .start = m->start,
      .end = m->end,
      .offset = m->offset,
      .file = building_name(b, m->path),
      .build_id = building_name(b, good ? m->build_id : "")};
  const uint32_t number =
      b->failed ? 0 : profile_add_mapping(b->reading.profile, mapping);
  building_check(b, number != INDEX_NONE);
  return number;
}

/* Those that were unloaded have the numbers from one on. */
static void
count_unloaded(struct c_recovery *r)
{
  while (image_module_unloaded(r->notes, r->unloaded_count + 1) != NULL)
    r->unloaded_count++;
}

/* A site in a file that is not known is in one of those without a number. */
static uint64_t
known_site(const struct c_recovery *r, uint64_t site)
{
  return (site & SITE_OBJECT) == 0 && (site & SITE_RETIRED) != 0 &&
                 RETIRED_OBJECT(site) - 1 >= r->unloaded_count
             ? SITE_RETIRED
             : site;
}

void
c_add_mappings(struct c_recovery *r)
{
  struct context_tree *tree = r->counters.tree;
  const struct image_notes *notes = r->notes;
  r->mappings = array_zeroed(notes->module_count, sizeof *r->mappings);
  building_check(&r->building, r->mappings != NULL);
  /* what was unloaded comes last, as the program comes first */
  for (int unloaded = 0; unloaded < 2; unloaded++)
    for (size_t i = 0; i < notes->module_count && !r->building.failed; i++)
      if ((notes->modules[i].number != 0) == (unloaded != 0))
        r->mappings[i] = add_mapping(r, &notes->modules[i]);
  count_unloaded(r);
  for (uint32_t i = 0; i < tree->context_count; i++)
    tree->contexts[i].site = known_site(r, tree->contexts[i].site);
  for (uint32_t i = 0; i < tree->leaf_count; i++)
    tree->leaves[i].site = known_site(r, tree->leaves[i].site);
}

/* ---- locations ------------------------------------------------------------ */

/* What stands where there is no address: objects of the other heap without a
 * name, callers that went over the budget, libraries beyond CODE_OBJECTS, and
 * what a walk did not reach. */
static const char *
special_name(uint64_t site)
{
  if ((site & SITE_OBJECT) == 0 && site == SITE_RETIRED)
    return "[unloaded code]";
  return site == (SITE_SPECIAL | SITE_CUT_SHORT) ? "[cut short]"
                                                 : "[over the budget]";
}

/* The name that the other heap has for what is at SITE, in FUNCTION; NULL: it
 * has none. */
static const char *
name_of(const struct c_recovery *r, uint64_t site, uint32_t function)
{
  if ((site & SITE_SPECIAL) != 0)
    return NULL;
  return image_note_text(r->notes, NOTE_NAME,
                         (site & SITE_OBJECT) != 0
                             ? site
                             : function & FUNCTION_NUMBER,
                         NULL);
}

/* Sets *ADDRESS to that of SITE when the program ran, 0: it has none.  The file
 * that it is in; NULL: that is not known. */
static const struct note_module *
find_module(const struct c_recovery *r, uint64_t site, uint64_t *address)
{
  *address = 0;
  if ((site & (SITE_OBJECT | SITE_SPECIAL)) != 0 || site == SITE_RETIRED)
    return NULL;
  if ((site & SITE_RETIRED) == 0) {
    *address = site;
    return image_module_at(r->notes, site - 1);
  }
  const struct note_module *module =
      image_module_unloaded(r->notes, RETIRED_OBJECT(site));
  *address = module->start + RETIRED_OFFSET(site);
  return module;
}

/* The address of a location is in the call, not what that returns to. */
uint32_t
c_location(void *recovery, uint64_t site, uint32_t function)
{
  struct c_recovery *r = recovery;
  uint64_t address;
  const struct note_module *module = find_module(r, site, &address);
  const char *name = name_of(r, site, function);
  if (name == NULL && address == 0)
    name = special_name(site);
  return building_location(
      &r->building,
      module == NULL ? INDEX_NONE : r->mappings[module - r->notes->modules],
      address == 0 ? 0 : address - 1,
      name == NULL ? INDEX_NONE
                   : building_function(&r->building, name, NULL, NULL, 0),
      0);
}

/* It was noted while the code was there. */
uint64_t
c_between(void *recovery, uint64_t site, uint32_t function, uint32_t callee)
{
  const struct c_recovery *r = recovery;
  const struct note *note;
  uint64_t address;
  find_module(r, site, &address);
  note = image_note_find(r->notes, NOTE_BETWEEN,
                         note_between_key(address, function, callee));
  return note != NULL && note->value == address ? note->more : 0;
}
