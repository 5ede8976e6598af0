/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matches rules with the chain of a sample: reads it from its leaf on, and
 * finds the function to be changed, what it called, and what called it. */

#include "advice/advice.h"

#include "base/array.h"
#include "common/system_functions.h"

/* ---- what names mean --------------------------------------------------- */

/* What a function may be. */
struct part {
  bool program;     /* a culprit */
  bool barrier;     /* what it does itself is no fault of its callers */
  bool interpreted; /* it has no address: it is not machine code */
  bool applier;     /* it calls what it is given */
  const unsigned char *roles;
};

/* The compiler, the loader, and what defines classes and methods: who calls
 * them has not written what they do. */
static const char barriers[] =
    "COMPILE\0COMPILE-FILE\0LOAD\0ADD-METHOD\0CLOS::INSTALL-METHOD\0"
    "CLOS::LOAD-DEFCLASS\0CLOS:ENSURE-CLASS\0ENSURE-GENERIC-FUNCTION\0"
    "SI:DEFINE-STRUCTURE\0";

/* What calls the function that it is given: (apply #'f list) calls F. */
static const char appliers[] =
    "APPLY\0FUNCALL\0MAP\0MAP-INTO\0MAPC\0MAPCAN\0MAPCAR\0MAPCON\0MAPHASH\0"
    "MAPL\0MAPLIST\0REDUCE\0SI:APPLY-FROM-STACK-FRAME\0APPLY_fixed\0"
    "ecl_apply_from_stack_frame\0";

/* Returns whether a symbol of PACKAGE names the function NAME, or the
 * function is local to such a one, or a method of it. */
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

static struct part
part_of(const struct matcher *m, const struct function *f)
{
  const struct names *names = &m->view->frames.names;
  const char *name = names_text(names, f->name);
  const char *file = names_text(names, f->file);
  struct part part = {.roles = m->names + f->name * m->rule_count};
  /* ECL calls where it pleases what expands a type, and what loads a file */
  part.program =
      !f->runtime && !f->c && is_function_name(name) &&
      !lisp_name_passes_on(name) && strncmp(name, "(DEFTYPE ", 9) != 0 &&
      strncmp(name, "(LOAD ", 6) != 0 && !is_system_function(name, file);
  part.barrier = words_have(barriers, name, strlen(name));
  part.applier = words_have(appliers, name, strlen(name));
  part.interpreted = part.program && f->low_address == 0 && *file == '\0';
  return part;
}

/* Gives what rule R names for KEY that role. */
static void
add_roles(struct matcher *m, size_t r, enum rule_key key)
{
  const struct frame_table *frames = &m->view->frames;
  const struct profile *profile = m->view->profile;
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

void
matcher_init(struct matcher *m, const struct view *view)
{
  const struct frame_table *frames = &view->frames;
  const size_t count = view->options->rules->count;
  *m = (struct matcher){
      .view = view,
      .rules = view->options->rules->items,
      .rule_count = count,
      .parts = pool_zeroed(frames->function_count, sizeof *m->parts),
      .names = pool_zeroed(frames->names.count, count),
      .types = pool_zeroed(view->profile->type_count, count)};
  for (size_t r = 0; r < count; r++)
    for (enum rule_key key = 0; key < RULE_LISTS; key++)
      add_roles(m, r, key);
  for (size_t i = 0; i < frames->function_count; i++) {
    m->parts[i] = part_of(m, &frames->functions[i]);
    m->addresses |= frames->functions[i].low_address != 0;
  }
}

/* ---- from an allocation to the function to change ---------------------- */

#define NONE SIZE_MAX /* no rule, or no place in a chain */

/* Returns what the function at PLACE of the chain may be. */
static const struct part *
part_at(const struct matcher *m, size_t place)
{
  return &m->parts[m->chain[place]->function];
}

/* Reads the next node of the chain.  False: it ends, since there is none
 * below what runs the profiled body. */
static bool
read_chain(struct matcher *m)
{
  const struct selection *selection = &m->view->selection;
  const struct frame_table *table = &m->view->frames;
  if (m->next == TREE_ROOT)
    return false;
  const struct tree_node *node = &m->view->profile->tree.nodes[m->next];
  m->next = node->parent;
  for (uint32_t i = table->first_frames[node->item];
       i < table->first_frames[node->item + 1]; i++) {
    const uint32_t function = table->frames[i].function;
    if (m->parts[function].barrier ||
        (selection->cuts && selection->functions[function].root)) {
      m->next = TREE_ROOT;
      return true;
    }
    m->applies = m->applies || m->parts[function].applier;
    ARRAY_PUSH(m->chain, m->chain_count, m->chain_capacity,
               &table->frames[i]);
  }
  return true;
}

/* Returns the first place from PLACE on of a function of the program that is
 * of no package of RULE, which may be NONE. */
static size_t
find_program(struct matcher *m, size_t place, size_t rule)
{
  for (;; place++) {
    while (place >= m->chain_count)
      if (!read_chain(m))
        return NONE;
    const struct part *part = part_at(m, place);
    if (part->program &&
        (rule == NONE || (part->roles[rule] & RULE_BIT(RULE_PACKAGE)) == 0))
      return place;
  }
}

/* Returns whether ROLES have the one that RULE asks for by KEY, if it does.
 */
static bool
plays(const struct rule *rule, enum rule_key key, unsigned roles)
{
  return *rule->values[key] == '\0' || (roles & RULE_BIT(key)) != 0;
}

/* Returns the place of what the function at PLACE has APPLY and the like
 * call, or of what it calls itself. */
static size_t
find_called(const struct matcher *m, size_t place)
{
  for (place--; place > 0 && part_at(m, place)->applier; place--) {
  }
  return place;
}

/* Returns whether rule R holds for an object with the roles TYPE if the
 * function at PLACE is the culprit, which calls the function at
 * CALLED_PLACE. */
static bool
holds(const struct matcher *m, size_t r, unsigned type, size_t place,
      size_t called_place)
{
  const struct rule *rule = &m->rules[r];
  const bool interpreted = *rule->values[RULE_INTERPRETED] != '\0';
  if (!plays(rule, RULE_TYPES, type) || interpreted != (place == 0))
    return false;
  if (interpreted)
    return m->addresses && part_at(m, place)->interpreted;
  const unsigned called = part_at(m, called_place)->roles[r];
  if (!plays(rule, RULE_CALLED, called) ||
      !plays(rule, RULE_LEAF, part_at(m, 0)->roles[r]))
    return false;
  unsigned below = 0;
  for (size_t i = 0; i < called_place; i++)
    below |= part_at(m, i)->roles[r];
  return plays(rule, RULE_THROUGH, called | below) &&
         (below & RULE_BIT(RULE_WITHOUT)) == 0;
}

/* Returns the place of the function that rule R would have changed, where
 * that of the program which is nearest to the leaf is at PLACE. */
static size_t
find_culprit(struct matcher *m, size_t r, size_t place)
{
  if (*m->rules[r].values[RULE_PACKAGE] == '\0')
    return place;
  if ((part_at(m, place)->roles[r] & RULE_BIT(RULE_PACKAGE)) == 0)
    return NONE;
  return find_program(m, place, r);
}

/* Fills FINDING but for its rule; the culprit is at PLACE and calls what is
 * at CALLED. */
static void
tell(struct matcher *m, size_t place, size_t called, struct finding *finding)
{
  finding->culprit = m->chain[place]->function;
  finding->line = m->chain[place]->line;
  finding->called = place == 0 ? INDEX_NONE : m->chain[called]->function;
  do
    place = find_program(m, place + 1, NONE);
  while (place != NONE && m->chain[place]->function == finding->culprit);
  finding->caller = place == NONE ? INDEX_NONE : m->chain[place]->function;
}

/* Looks for a rule as matcher_find does, where what the culprit calls is what
 * it has APPLY call, if APPLIED. */
static bool
find_rule(struct matcher *m, size_t nearest, const unsigned char *types,
          bool applied, struct finding *finding)
{
  for (size_t r = 0; r < m->rule_count; r++) {
    const size_t place = find_culprit(m, r, nearest);
    const size_t called = place == NONE || place == 0 ? 0
                          : applied                   ? find_called(m, place)
                                                      : place - 1;
    if (place != NONE && holds(m, r, types[r], place, called)) {
      finding->rule = r;
      finding->counted = plays(&m->rules[r], RULE_COUNTED, types[r]);
      tell(m, place, called, finding);
      return true;
    }
  }
  return false;
}

bool
matcher_find(struct matcher *m, uint32_t node, uint32_t type,
             struct finding *finding)
{
  const unsigned char *types = m->types + type * m->rule_count;
  m->chain_count = 0;
  m->applies = false;
  m->next = node;
  const size_t nearest = find_program(m, 0, NONE);
  return nearest != NONE &&
         (find_rule(m, nearest, types, false, finding) ||
          (m->applies && find_rule(m, nearest, types, true, finding)));
}
