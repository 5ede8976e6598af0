/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "advice/culprit.h"

#include "base/array.h"
#include "common/system_functions.h"

#include <stdlib.h>
#include <string.h>

/* ---- what names mean ---- */

/* The compiler, the loader, and what defines classes and methods: who calls
 * them has not written what they do.
 */
static const char *const barriers[] = {"COMPILE",
                                       "COMPILE-FILE",
                                       "LOAD",
                                       "ADD-METHOD",
                                       "CLOS::INSTALL-METHOD",
                                       "CLOS::LOAD-DEFCLASS",
                                       "CLOS:ENSURE-CLASS",
                                       "ENSURE-GENERIC-FUNCTION",
                                       "SI:DEFINE-STRUCTURE",
                                       NULL};

static bool
is_listed(const char *const *list, const char *name)
{
  for (; list != NULL && *list != NULL; list++)
    if (strcmp(*list, name) == 0)
      return true;
  return false;
}

/* Whether a symbol of PACKAGE names the function NAME, or the function is
 * local to such a one, or a method of it. */
static bool
is_of_package(const char *name, const char *package)
{
  size_t length = strlen(package);
  for (name += strspn(name, " ("); *name != '\0';) {
    if (strncmp(name, package, length) == 0 && name[length] == ':')
      return true;
    name += strcspn(name, " (");
    name += strspn(name, " (");
  }
  return false;
}

/* Whether the function NAME, which is of the program, is called by ECL where
 * it pleases: what expands a type, and what loads a file, once. */
static bool
is_called_by_ecl(const char *name)
{
  return strncmp(name, "(DEFTYPE ", 9) == 0 ||
         strncmp(name, "(LOAD ", 6) == 0;
}

/* Whether the profile says where code is. */
static bool
has_addresses(const struct frame_table *frames)
{
  for (size_t i = 0; i < frames->function_count; i++)
    if (frames->functions[i].low_address != 0)
      return true;
  return false;
}

static struct parts
parts_of(const struct reduction *reduction, size_t function, bool addresses)
{
  const char *name = function_name(&reduction->frames, function);
  const char *file = function_file(&reduction->frames, function);
  const struct function *f = &reduction->frames.functions[function];
  struct parts parts = {
      .program = !f->runtime && !f->c && is_function_name(name) &&
                 !lisp_name_passes_on(name) && !is_called_by_ecl(name) &&
                 !is_system_function(name, file),
      .barrier = is_listed(barriers, name)};
  parts.interpreted =
      addresses && parts.program && f->low_address == 0 && *file == '\0';
  for (int i = 0; advice_rules[i] != NULL; i++) {
    const struct advice_rule *rule = advice_rules[i];
    uint64_t bit = UINT64_C(1) << i;
    if (rule->called == NULL || is_listed(rule->called, name))
      parts.called |= bit;
    if (is_listed(rule->through, name))
      parts.through |= bit;
    if (is_listed(rule->without, name))
      parts.without |= bit;
    if (rule->leaf == NULL || is_listed(rule->leaf, name))
      parts.leaf |= bit;
    if (rule->package != NULL && is_of_package(name, rule->package))
      parts.package |= bit;
  }
  return parts;
}

static bool
has_type(const struct profile *profile, const struct profile_type *type,
         const char *const *names)
{
  return names == NULL ||
         is_listed(names, names_text(&profile->names, type->type)) ||
         is_listed(names, names_text(&profile->names, type->class_name));
}

bool
rule_bits_init(struct rule_bits *bits, const struct reduction *reduction)
{
  const struct profile *profile = reduction->profile;
  size_t functions = reduction->frames.function_count;
  *bits = (struct rule_bits){.reduction = reduction};
  bits->parts = array_zeroed(functions, sizeof *bits->parts);
  bits->types = array_zeroed(profile->type_count, sizeof *bits->types);
  bits->counted = array_zeroed(profile->type_count, sizeof *bits->counted);
  if (bits->parts == NULL || bits->types == NULL || bits->counted == NULL)
    return false;
  bool addresses = has_addresses(&reduction->frames);
  for (size_t i = 0; i < functions; i++)
    bits->parts[i] = parts_of(reduction, i, addresses);
  for (int i = 0; advice_rules[i] != NULL; i++) {
    const struct advice_rule *rule = advice_rules[i];
    uint64_t bit = UINT64_C(1) << i;
    bits->direct |= rule->direct ? bit : 0;
    bits->interpreted |= rule->interpreted ? bit : 0;
    bits->any_through |= rule->through == NULL ? bit : 0;
    bits->packages |= rule->package != NULL ? bit : 0;
    for (size_t t = 0; t < profile->type_count; t++) {
      if (has_type(profile, &profile->types[t], rule->types))
        bits->types[t] |= bit;
      if (has_type(profile, &profile->types[t], rule->counted))
        bits->counted[t] |= bit;
    }
  }
  return true;
}

void
rule_bits_release(struct rule_bits *bits)
{
  free(bits->parts);
  free(bits->types);
  free(bits->counted);
}

/* ---- from an allocation to the function to change ---- */

/* The frame that comes, on the way to the root; NULL: the way ends. */
static const struct frame *
walk_frame(struct walk *walk)
{
  const struct reduction *reduction = walk->bits->reduction;
  const struct frame_table *table = &reduction->frames;
  const struct tree *tree = &reduction->profile->tree;
  while (walk->node != TREE_ROOT) {
    uint32_t location = tree->nodes[walk->node].item;
    uint32_t frame = table->first_frames[location] + walk->next;
    if (frame < table->first_frames[location + 1]) {
      walk->next++;
      return &table->frames[frame];
    }
    walk->node = tree->nodes[walk->node].parent;
    walk->next = 0;
  }
  return NULL;
}

/* Has WALK leave FUNCTION behind, which is not the culprit. */
static void
walk_past(struct walk *walk, uint32_t function)
{
  const struct parts *parts = walk->bits->parts;
  if (walk->called == INDEX_NONE)
    walk->leaf = function;
  else
    walk->barred |= parts[walk->called].without;
  walk->through |= parts[function].through;
  walk->called = function;
}

/* Walks to the next function of the program that is none of the packages that
 * the rules PACKAGES ask for: it is the culprit.  False: there is none below
 * what runs the profiled body. */
static bool
walk_to_program(struct walk *walk, uint64_t packages)
{
  const struct selection *selection = &walk->bits->reduction->selection;
  for (const struct frame *f; (f = walk_frame(walk)) != NULL;) {
    const struct parts *parts = &walk->bits->parts[f->function];
    if (parts->barrier ||
        (selection->cuts && selection->functions[f->function].root))
      break;
    if (parts->program && (parts->package & packages) == 0) {
      walk->culprit = f->function;
      walk->line = f->line;
      return true;
    }
    walk_past(walk, f->function);
  }
  return false;
}

/* The rules that hold for an object of TYPE at the end of WALK. */
static uint64_t
holding_rules(const struct walk *walk, uint32_t type)
{
  const struct rule_bits *bits = walk->bits;
  uint64_t rules = bits->types[type];
  if (!bits->parts[walk->culprit].interpreted)
    rules &= ~bits->interpreted;
  if (walk->called == INDEX_NONE)
    return rules & bits->direct;
  rules &= ~(bits->direct | walk->barred);
  return rules & (walk->through | bits->any_through) &
         bits->parts[walk->called].called & bits->parts[walk->leaf].leaf;
}

uint64_t
find_culprit(const struct rule_bits *bits, uint32_t node, uint32_t type,
             struct walk *walk)
{
  *walk = (struct walk){.bits = bits,
                        .node = node,
                        .leaf = INDEX_NONE,
                        .called = INDEX_NONE,
                        .culprit = INDEX_NONE};
  if (bits->types[type] == 0 || !walk_to_program(walk, 0))
    return 0;
  const struct parts *parts = &bits->parts[walk->culprit];
  struct walk outer = *walk;
  walk_past(&outer, walk->culprit);
  if (parts->package != 0 && walk_to_program(&outer, parts->package)) {
    uint64_t rules = holding_rules(&outer, type) & parts->package;
    if (rules != 0) {
      *walk = outer;
      return rules;
    }
  }
  return holding_rules(walk, type) & ~bits->packages;
}

uint32_t
find_caller(const struct walk *walk)
{
  struct walk outer = *walk;
  do
    if (!walk_to_program(&outer, 0))
      return INDEX_NONE;
  while (outer.culprit == walk->culprit);
  return outer.culprit;
}
