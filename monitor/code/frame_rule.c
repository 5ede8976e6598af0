/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_rule.c -- runs the programs of the common entry and of that of the
 * function (frame_entry.h), up to the place.  They are those of DWARF 5,
 * section 6.4. */
#include "code/frame_rule.h"

#include <dwarf.h>

#include "arch/arch.h"
#include "code/frame_entry.h"

enum { WORD = sizeof(uintptr_t), MOST_BYTES = 1 << 27 };

/* What the program has said up to some place of a function. */
struct state {
  uint64_t base_register;
  int64_t offset;  /* of the frame from it */
  int64_t saved;   /* of the frame pointer from the frame; 0: not saved */
  int64_t returns; /* of the return address */
  bool elsewhere;  /* an expression says where the frame is */
  bool saved_elsewhere;
  bool outermost; /* there is no return address */
};

enum { REMEMBERED = 8 }; /* states on the stack of a program, at most */

struct machine {
  struct state now, initial, remembered[REMEMBERED];
  size_t depth;
  uintptr_t place; /* in the function's code */
  const struct frame_entry *entry;
  bool lost; /* the program makes no sense here */
};

/* The operands of the instructions that have none in the opcode.  1, 2, 4: a
 * number of so many bytes; u, s: one of variable length, without and with a
 * sign; p: an address; b: a block of bytes. */
static const char operands[][3] = {
    [DW_CFA_set_loc] = "p",
    [DW_CFA_advance_loc1] = "1",
    [DW_CFA_advance_loc2] = "2",
    [DW_CFA_advance_loc4] = "4",
    [DW_CFA_offset_extended] = "uu",
    [DW_CFA_restore_extended] = "u",
    [DW_CFA_undefined] = "u",
    [DW_CFA_same_value] = "u",
    [DW_CFA_register] = "uu",
    [DW_CFA_def_cfa] = "uu",
    [DW_CFA_def_cfa_register] = "u",
    [DW_CFA_def_cfa_offset] = "u",
    [DW_CFA_def_cfa_expression] = "b",
    [DW_CFA_expression] = "ub",
    [DW_CFA_offset_extended_sf] = "us",
    [DW_CFA_def_cfa_sf] = "us",
    [DW_CFA_def_cfa_offset_sf] = "s",
    [DW_CFA_val_offset] = "uu",
    [DW_CFA_val_offset_sf] = "us",
    [DW_CFA_val_expression] = "ub",
    [DW_CFA_AARCH64_negate_ra_state] = "",
    [DW_CFA_GNU_args_size] = "u",
};

static inline uint64_t
take_operand(struct cursor *c, char kind, unsigned encoding)
{
  switch (kind) {
  case 'u':
    return cursor_uleb(c);
  case 's':
    return cursor_leb(c, true);
  case 'p':
    return cursor_pointer(c, encoding);
  case 'b':
    return cursor_take(c, cursor_uleb(c)) != NULL;
  default:
    return cursor_number(c, (size_t)(kind - '0'));
  }
}

/* Notes that register `number' is saved at `offset'. */
static void
set_saved(struct state *now, uint64_t number, int64_t offset)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    now->saved = offset;
    now->saved_elsewhere = offset == 0;
  } else if (number == ARCH_REGISTER_RETURN) {
    now->returns = offset;
  }
}

/* Notes that rules cannot say where register `number' is. */
static void
set_elsewhere(struct state *now, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER)
    now->saved_elsewhere = true;
  else if (number == ARCH_REGISTER_RETURN ||
           number == ARCH_REGISTER_STACK_POINTER)
    now->elsewhere = true;
}

/* Notes that register `number' is where it was in the state `from'. */
static void
restore(struct state *now, const struct state *from, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    now->saved = from->saved;
    now->saved_elsewhere = from->saved_elsewhere;
  } else if (number == ARCH_REGISTER_RETURN) {
    now->returns = from->returns;
    now->outermost = from->outermost;
  }
}

/* Runs one instruction, with its operands. */
static inline void
run_one(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
  static const struct state unsaved = {.returns = ARCH_RETURN_AT * WORD};
  const int64_t factor = m->entry->data_factor;
  struct state *now = &m->now;
  switch (op) {
  case DW_CFA_set_loc:
    m->place = a;
    break;
  case DW_CFA_advance_loc:
  case DW_CFA_advance_loc1:
  case DW_CFA_advance_loc2:
  case DW_CFA_advance_loc4:
    m->place += a * m->entry->code_factor;
    break;
  case DW_CFA_offset:
  case DW_CFA_offset_extended:
  case DW_CFA_offset_extended_sf:
    set_saved(now, a, (int64_t)b * factor);
    break;
  case DW_CFA_restore:
  case DW_CFA_restore_extended:
    restore(now, &m->initial, a);
    break;
  case DW_CFA_undefined:
    now->outermost |= a == ARCH_REGISTER_RETURN;
    break;
  case DW_CFA_same_value:
    restore(now, &unsaved, a);
    break;
  case DW_CFA_register:
  case DW_CFA_val_offset:
  case DW_CFA_val_offset_sf:
  case DW_CFA_expression:
  case DW_CFA_val_expression:
    set_elsewhere(now, a);
    break;
  case DW_CFA_def_cfa:
  case DW_CFA_def_cfa_sf:
    now->base_register = a;
    now->offset = (int64_t)b * (op == DW_CFA_def_cfa_sf ? factor : 1);
    now->elsewhere = false;
    break;
  case DW_CFA_def_cfa_register:
    now->base_register = a;
    break;
  case DW_CFA_def_cfa_offset:
  case DW_CFA_def_cfa_offset_sf:
    now->offset = (int64_t)a * (op == DW_CFA_def_cfa_offset_sf ? factor : 1);
    break;
  case DW_CFA_def_cfa_expression:
    now->elsewhere = true;
    break;
  case DW_CFA_remember_state:
    m->lost |= m->depth == REMEMBERED;
    if (!m->lost)
      m->remembered[m->depth++] = *now;
    break;
  case DW_CFA_restore_state:
    m->lost |= m->depth == 0;
    if (!m->lost)
      *now = m->remembered[--m->depth];
    break;
  case DW_CFA_AARCH64_negate_ra_state: /* see arch_return_address */
  case DW_CFA_GNU_args_size:
  case DW_CFA_nop:
    break;
  default:
    m->lost = true;
    break;
  }
}

/* Runs a program until it is past `ip'.  Returns the rest of it. */
static struct cursor
run(struct machine *m, struct cursor c, uintptr_t ip)
{
  while (c.at < c.end && !m->lost && m->place <= ip) {
    unsigned op = *c.at++;
    uint64_t a = op & 0x3F, b = 0; /* an operand, where the upper bits tell */
    if ((op & 0xC0) != 0) {
      op &= 0xC0;
      if (op == DW_CFA_offset)
        b = cursor_uleb(&c);
    } else if (op < sizeof operands / sizeof *operands) {
      const char *const kinds = operands[op];
      if (kinds[0] != '\0')
        a = take_operand(&c, kinds[0], m->entry->encoding);
      if (kinds[1] != '\0')
        b = take_operand(&c, kinds[1], m->entry->encoding);
    }
    m->lost |= c.bad;
    run_one(m, op, a, b);
  }
  return c;
}

/* How far the programs of some functions were run, since those of large
 * functions are long, and places further on need only the rest.  It saves a
 * sixth of all instructions of gcc's compiler for a small file. */
enum { STOPPED = 32 };
static struct stopped {
  uintptr_t start; /* of the function; 0: none */
  uintptr_t ip;    /* up to there */
  struct machine machine;
  struct cursor rest;
} stopped[STOPPED]; /* under frame_rules.lock */

/* Stores how far the program was run, so that the handler of a signal never
 * takes half of it for the whole. */
static void
stop(struct stopped *s, const struct machine *m, struct cursor rest,
     uintptr_t ip)
{
  s->start = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  s->ip = ip;
  s->machine = *m;
  s->rest = rest;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  s->start = m->entry->start;
}

/* Runs the programs of the entry up to `ip', from where they were stopped if
 * that is known and the lock is open, else from the beginning. */
static void
run_to(struct machine *m, uintptr_t ip)
{
  const struct frame_entry *const entry = m->entry;
  struct stopped *const s = &stopped[(entry->start >> 4) % STOPPED];
  const bool mine =
      !spin_holds(&frame_rules.lock) && spin_try_lock(&frame_rules.lock);
  struct cursor rest = entry->program;
  if (mine && s->start == entry->start && s->ip <= ip) {
    *m = s->machine;
    m->entry = entry;
    rest = s->rest;
  } else {
    run(m, entry->common_program, UINTPTR_MAX);
    m->initial = m->now;
    m->place = entry->start;
  }
  rest = run(m, rest, ip);
  if (mine) {
    stop(s, m, rest, ip);
    spin_unlock(&frame_rules.lock);
  }
}

static struct frame_rule
rule_of_state(const struct state *s)
{
  struct frame_rule rule = {.base = FRAME_ELSEWHERE};
  if (s->outermost) {
    rule.base = FRAME_OUTERMOST;
    return rule;
  }
  if (s->elsewhere || s->saved_elsewhere || s->offset < 0 ||
      s->offset >= MOST_BYTES)
    return rule;
  rule.offset = (uint32_t)s->offset & (MOST_BYTES - 1);
  rule.saved = (int16_t)(s->saved / WORD);
  rule.returns = (int16_t)(s->returns / WORD);
  if (rule.saved * WORD != s->saved || rule.returns * WORD != s->returns)
    return rule;
  if (s->base_register == ARCH_REGISTER_STACK_POINTER)
    rule.base = FRAME_FROM_STACK;
  else if (s->base_register == ARCH_REGISTER_FRAME_POINTER)
    rule.base = FRAME_FROM_POINTER;
  rule.framed = rule.base == FRAME_FROM_POINTER && s->offset == -s->saved &&
                rule.returns == rule.saved + 1;
  if (rule.returns == 0)
    rule.base =
        rule.base == FRAME_FROM_STACK ? FRAME_LINKED : FRAME_ELSEWHERE;
  return rule;
}

static struct frame_rule
rule_by_entry(const struct frame_entry *entry, uintptr_t ip)
{
  struct machine m = {.now.returns = ARCH_RETURN_AT * WORD, .entry = entry};
  run_to(&m, ip);
  if (m.lost || entry->return_register != ARCH_REGISTER_RETURN)
    return (struct frame_rule){.base = FRAME_ELSEWHERE};
  return rule_of_state(&m.now);
}

/* Returns whether the function has set its frame pointer to where it has
 * saved the caller's, though the frame is told from the stack pointer at
 * `ip'. */
static bool
has_set_frame(const struct frame_entry *entry, struct frame_rule rule,
              uintptr_t ip)
{
  int32_t distance;
  if (ARCH_FRAME_IS_AT_TOP || rule.base != FRAME_FROM_STACK ||
      rule.saved == 0 || rule.returns != rule.saved + 1)
    return false;
  for (uintptr_t at = entry->start; at < ip; at += ARCH_CODE_STEP)
    if (arch_frame_set(at, &distance)) {
      const struct frame_rule there = rule_by_entry(entry, at);
      if (there.base == FRAME_FROM_STACK &&
          (int)there.offset + rule.saved * WORD == distance)
        return true;
    }
  return false;
}

struct frame_rule
frame_rule_at(uintptr_t ip)
{
  struct frame_entry entry;
  struct frame_rule rule;
  if (!frame_entry_find(ip, &entry))
    return (struct frame_rule){.base = FRAME_UNKNOWN};
  if (entry.signal)
    return (struct frame_rule){.base = FRAME_OF_SIGNAL};
  rule = rule_by_entry(&entry, ip);
  rule.framed |= has_set_frame(&entry, rule, ip);
  return rule;
}

uintptr_t
frame_rule_function(uintptr_t ip)
{
  struct frame_entry entry;
  return frame_entry_find(ip, &entry) ? entry.start : 0;
}

/* ---- the table ---- */

struct shared_table frame_rules = SHARED_TABLE_EMPTY;

_Static_assert(sizeof(struct frame_rule) == sizeof(uint64_t),
               "a rule is the value of an entry");

struct frame_rule
frame_rule_add(uint64_t key)
{
  const uintptr_t ip = key >> 1;
  const bool returns = (key & 1) == 0; /* to behind the call */
  struct frame_rule rule = frame_rule_at(returns ? ip - 1 : ip);
  uint64_t value;
  /* Nothing returns to where a function begins: the address was put there to
   * be returned to, where a new stack begins (makecontext). */
  if (rule.base == FRAME_UNKNOWN && returns && frame_rule_function(ip) == ip)
    rule.base = FRAME_OUTERMOST;
  if (rule.base == FRAME_UNKNOWN && arch_is_signal_return(ip))
    rule.base = FRAME_OF_SIGNAL;
  memcpy(&value, &rule, sizeof value);
  if (spin_holds(&frame_rules.lock)) /* a signal interrupted this thread */
    return rule;
  spin_lock(&frame_rules.lock);
  if (shared_table_find(&frame_rules, key) == NULL)
    shared_table_add(&frame_rules, key, value);
  spin_unlock(&frame_rules.lock);
  return rule;
}

void
frame_rules_forget(uintptr_t start, uintptr_t end)
{
  spin_lock(&frame_rules.lock);
  shared_table_forget(&frame_rules, start, end);
  for (int i = 0; i < STOPPED; i++)
    if (stopped[i].start >= start && stopped[i].start < end)
      stopped[i].start = 0;
  spin_unlock(&frame_rules.lock);
}
