/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "advice/culprit.h"

#include "base/array.h"
#include "common/system_functions.h"

/* ---- what names mean --------------------------------------------------- */

/* What a function may be. */
struct part {
  bool program;     /* a culprit */
  bool barrier;     /* what it does itself is no fault of its callers */
  bool interpreted; /* it has no address, for it is no machine code */
  const unsigned char *roles;   /* by rule, ... */
  size_t first_role, roles_end; /* ... and which of them are not 0 */
};

/* The compiler, the loader, and what defines classes and methods: who calls
 * them has not written what they do. */
static const char barriers[] =
    "COMPILE\0COMPILE-FILE\0LOAD\0ADD-METHOD\0CLOS::INSTALL-METHOD\0"
    "CLOS::LOAD-DEFCLASS\0CLOS:ENSURE-CLASS\0ENSURE-GENERIC-FUNCTION\0"
    "SI:DEFINE-STRUCTURE\0";

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

static struct part
part_of(const struct matcher *m, const struct function *f)
{
  const struct names *names = &m->reduction->frames.names;
  const char *name = names_text(names, f->name);
  const char *file = names_text(names, f->file);
  struct part part = {.roles = m->names + f->name * m->rule_count};
  part.program = !f->runtime && !f->c && is_function_name(name) &&
                 !lisp_name_passes_on(name) && !is_called_by_ecl(name) &&
                 !is_system_function(name, file);
  part.barrier = rule_names_have(barriers, name);
  part.interpreted = part.program && f->low_address == 0 && *file == '\0';
  for (size_t r = m->rule_count; r-- > 0;)
    if (part.roles[r] != 0) {
      part.first_role = r;
      part.roles_end = part.roles_end == 0 ? r + 1 : part.roles_end;
    }
  return part;
}

/* Gives what rule R names for KEY that role. */
static void
add_roles(struct matcher *m, size_t r, enum rule_key key)
{
  const struct frame_table *frames = &m->reduction->frames;
  const struct profile *profile = m->reduction->profile;
  unsigned char *const names = m->names + r, *const types = m->types + r;
  const char *name = m->rules[r].values[key];
  for (; *name != '\0'; name += strlen(name) + 1) {
    const uint32_t function = names_find(&frames->names, name);
    const uint32_t type = names_find(&profile->names, name);
    if (function != NAMES_NONE)
      names[function * m->rule_count] |= RULE_BIT(key);
    for (size_t i = 0; i < profile->type_count; i++)
      if (profile->types[i].type == type ||
          profile->types[i].class_name == type)
        types[i * m->rule_count] |= RULE_BIT(key);
    for (size_t i = 0; key == RULE_PACKAGE && i < frames->function_count; i++)
      if (is_of_package(function_name(frames, i), name))
        names[frames->functions[i].name * m->rule_count] |= RULE_BIT(key);
  }
}

bool
matcher_init(struct matcher *m, const struct reduction *reduction)
{
  const struct frame_table *frames = &reduction->frames;
  const size_t count = reduction->rules->count;
  *m = (struct matcher){
      .reduction = reduction,
      .rules = reduction->rules->items,
      .rule_count = count,
      .parts = array_zeroed(frames->function_count, sizeof *m->parts),
      .names = array_zeroed(frames->names.count, count),
      .types = array_zeroed(reduction->profile->type_count, count),
      .below = array_zeroed(2, count)};
  if (m->parts == NULL || m->names == NULL || m->types == NULL ||
      m->below == NULL)
    return false;
  for (size_t r = 0; r < count; r++)
    for (enum rule_key key = 0; key < RULE_LISTS; key++)
      add_roles(m, r, key);
  for (size_t i = 0; i < frames->function_count; i++) {
    m->parts[i] = part_of(m, &frames->functions[i]);
    m->addresses |= frames->functions[i].low_address != 0;
  }
  return true;
}

void
matcher_release(struct matcher *m)
{
  free(m->parts);
  free(m->names);
  free(m->types);
  free(m->below);
}

/* ---- from an allocation to the function to change ---------------------- */

/* A walk from an allocation to the root. */
struct walk {
  const struct matcher *matcher;
  uint32_t node;        /* of the profile's tree */
  uint32_t next;        /* the frame that comes, of those of the node */
  unsigned char *below; /* roles of the functions below what is called */
  uint32_t leaf, called, culprit; /* functions, INDEX_NONE: not there */
  int64_t line;                   /* in the culprit */
};

/* The frame that comes, on the way to the root; NULL: the way ends. */
static const struct frame *
walk_frame(struct walk *walk)
{
  const struct reduction *reduction = walk->matcher->reduction;
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
  if (walk->called == INDEX_NONE) {
    walk->leaf = function;
  } else {
    const struct part *part = &walk->matcher->parts[walk->called];
    for (size_t r = part->first_role; r < part->roles_end; r++)
      walk->below[r] |= part->roles[r];
  }
  walk->called = function;
}

#define NO_RULE SIZE_MAX

/* Whether FUNCTION is of a package of RULE, unless that is NO_RULE. */
static bool
is_within(const struct matcher *m, uint32_t function, size_t rule)
{
  return rule != NO_RULE &&
         (m->parts[function].roles[rule] & RULE_BIT(RULE_PACKAGE)) != 0;
}

/* Walks to the next function of the program that is not within RULE: it is
 * the culprit.  False: there is none below what runs the profiled body. */
static bool
walk_to_program(struct walk *walk, size_t rule)
{
  const struct matcher *m = walk->matcher;
  const struct selection *selection = &m->reduction->selection;
  for (const struct frame *f; (f = walk_frame(walk)) != NULL;) {
    if (m->parts[f->function].barrier ||
        (selection->cuts && selection->functions[f->function].root))
      break;
    if (m->parts[f->function].program && !is_within(m, f->function, rule)) {
      walk->culprit = f->function;
      walk->line = f->line;
      return true;
    }
    walk_past(walk, f->function);
  }
  return false;
}

/* Whether ROLES have the one that RULE asks for by KEY, if it does. */
static bool
plays(const struct rule *rule, enum rule_key key, unsigned roles)
{
  return *rule->values[key] == '\0' || (roles & RULE_BIT(key)) != 0;
}

/* Whether rule R holds for an object with the roles TYPE at the end of WALK.
 */
static bool
holds(const struct walk *walk, size_t r, unsigned type)
{
  const struct matcher *m = walk->matcher;
  const struct rule *rule = &m->rules[r];
  bool interpreted = *rule->values[RULE_INTERPRETED] != '\0';
  if (!plays(rule, RULE_TYPES, type) ||
      interpreted != (walk->called == INDEX_NONE))
    return false;
  if (interpreted)
    return m->addresses && m->parts[walk->culprit].interpreted;
  const unsigned called = m->parts[walk->called].roles[r];
  return plays(rule, RULE_CALLED, called) &&
         plays(rule, RULE_LEAF, m->parts[walk->leaf].roles[r]) &&
         plays(rule, RULE_THROUGH, called | walk->below[r]) &&
         (walk->below[r] & RULE_BIT(RULE_WITHOUT)) == 0;
}

/* Has WALK, which has found a culprit, go on until it is no longer within
 * RULE.  False: it is not, or there is no other culprit. */
static bool
walk_out(struct walk *walk, size_t rule)
{
  const struct matcher *m = walk->matcher;
  if (!is_within(m, walk->culprit, rule))
    return false;
  walk->below = memcpy(m->below + m->rule_count, walk->below, m->rule_count);
  walk_past(walk, walk->culprit);
  return walk_to_program(walk, rule);
}

/* The function of the program that has the culprit of WALK called. */
static uint32_t
find_caller(struct walk walk)
{
  const uint32_t culprit = walk.culprit;
  while (walk_to_program(&walk, NO_RULE))
    if (walk.culprit != culprit)
      return walk.culprit;
  return INDEX_NONE;
}

bool
matcher_find(const struct matcher *m, uint32_t node, uint32_t type,
             struct finding *finding)
{
  const unsigned char *types = m->types + type * m->rule_count;
  struct walk inner = {.matcher = m,
                       .node = node,
                       .below = memset(m->below, 0, m->rule_count),
                       .leaf = INDEX_NONE,
                       .called = INDEX_NONE};
  if (!walk_to_program(&inner, NO_RULE))
    return false;
  for (size_t r = 0; r < m->rule_count; r++) {
    struct walk outer;
    const struct walk *walk = &inner;
    if (*m->rules[r].values[RULE_PACKAGE] != '\0') {
      outer = inner;
      walk = &outer;
      if (!walk_out(&outer, r))
        continue;
    }
    if (!holds(walk, r, types[r]))
      continue;
    *finding = (struct finding){
        .rule = r,
        .culprit = walk->culprit,
        .called = walk->called,
        .caller = find_caller(*walk),
        .line = walk->line,
        .counted = plays(&m->rules[r], RULE_COUNTED, types[r])};
    return true;
  }
  return false;
}
