/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_rule.c -- finds the entry of a function in the table that linkers put
 * before the section (.eh_frame_hdr), which is sorted by address, and runs
 * its program.  The dynamic linker says without a lock which object an
 * address is in.
 */
#include "walk/frame_rule.h"

#include <dlfcn.h>
#include <string.h>

#include "arch/registers.h"
#include "walk/frame_entry.h"

/* What the header's table looks like for all linkers: a pointer to the
 * section and the number of entries as four bytes, entries as two times four
 * signed bytes from where the header is. */
static const uint8_t header_start[] = {1, 0x1b, 0x03, 0x3b};

struct header {
  uint8_t start[4];
  int32_t section; /* from where this stands */
  uint32_t count;
};

struct header_entry {
  int32_t function, entry; /* from the header */
};

/* Where the section ends: with the object's memory.  Of a program with gaps
 * between its segments the linker knows only the segment of `ip'; then the
 * entries, whose places the table says, have to end where they say. */
static size_t
section_size(const struct dl_find_object *object, uintptr_t section)
{
  const uintptr_t end = (uintptr_t)object->dlfo_map_end;
  const size_t most = (size_t)1 << 31; /* as far as the table reaches */
  return section >= (uintptr_t)object->dlfo_map_start && section < end
             ? end - section
             : most;
}

/* The entry in the call-frame information of the object that `ip' is in. */
static bool
find_entry(uintptr_t ip, struct frame_section *section,
           struct frame_entry *entry)
{
  struct dl_find_object object;
  const struct header *header;
  const struct header_entry *table;
  uintptr_t base;
  size_t low = 0, high;
  struct frame_cursor cursor;
  if (_dl_find_object((void *)ip, &object) != 0 ||
      object.dlfo_eh_frame == NULL)
    return false;
  header = object.dlfo_eh_frame;
  base = (uintptr_t)header;
  if (memcmp(header->start, header_start, sizeof header_start) != 0)
    return false;
  table = (const struct header_entry *)(header + 1);
  high = header->count;
  while (low < high) { /* the last that begins at or before ip */
    size_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)table[middle].function <= ip)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return false;
  section->address = base + 4 + (uintptr_t)(intptr_t)header->section;
  section->bytes = (const uint8_t *)section->address;
  section->size = section_size(&object, section->address);
  cursor.at =
      (const uint8_t *)(base + (uintptr_t)(intptr_t)table[low - 1].entry);
  cursor.end = section->bytes + section->size;
  cursor.bad = cursor.at < section->bytes || cursor.at >= cursor.end;
  return frame_entry_next(&cursor, section, entry) == FRAME_ENTRY_FUNCTION &&
         ip >= entry->start && ip - entry->start < entry->size;
}

/* ---- programs ------------------------------------------------------------
 */

enum { WORD = sizeof(uintptr_t) };

/* What is known at some place of a function. */
struct frame_state {
  uint64_t base_register;
  int64_t offset; /* of the frame from it */
  int64_t saved;  /* of the frame pointer from the frame; 0: not saved */
  bool elsewhere; /* an expression says where the frame is */
  bool saved_elsewhere;
  bool outermost; /* there is no return address */
};

enum { REMEMBERED = 8 }; /* states on the stack of a program, at most */

struct frame_machine {
  struct frame_state now, initial, remembered[REMEMBERED];
  size_t depth;
  uintptr_t place; /* in the function's code */
  const struct frame_entry *entry;
  const struct frame_section *section;
  bool lost; /* the program makes no sense here */
};

/* Register `number' is saved at `offset' (in units of the data factor). */
static void
set_saved(struct frame_machine *m, uint64_t number, int64_t offset)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    m->now.saved = offset * m->entry->common.data_factor;
    m->now.saved_elsewhere = m->now.saved == 0;
  } else if (number == ARCH_REGISTER_RETURN &&
             offset * m->entry->common.data_factor != -WORD) {
    m->now.elsewhere = true;
  }
}

/* Register `number' is in a way that rules cannot say. */
static void
set_elsewhere(struct frame_machine *m, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER)
    m->now.saved_elsewhere = true;
  else if (number == ARCH_REGISTER_RETURN ||
           number == ARCH_REGISTER_STACK_POINTER)
    m->now.elsewhere = true;
}

static void
restore(struct frame_machine *m, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    m->now.saved = m->initial.saved;
    m->now.saved_elsewhere = m->initial.saved_elsewhere;
  } else if (number == ARCH_REGISTER_RETURN) {
    m->now.outermost = m->initial.outermost;
  }
}

/* The instructions whose operand is in the opcode, and those with one or two
 * operands.  Gives back false when `op' is none of them. */
static bool
run_saving(struct frame_machine *m, struct frame_cursor *c, unsigned op)
{
  uint64_t number;
  switch (op) {
  case CFA_OFFSET_EXTENDED:
    number = frame_take_uleb(c);
    set_saved(m, number, (int64_t)frame_take_uleb(c));
    return true;
  case CFA_OFFSET_EXTENDED_SF:
    number = frame_take_uleb(c);
    set_saved(m, number, frame_take_sleb(c));
    return true;
  case CFA_RESTORE_EXTENDED:
    restore(m, frame_take_uleb(c));
    return true;
  case CFA_UNDEFINED:
    number = frame_take_uleb(c);
    if (number == ARCH_REGISTER_RETURN)
      m->now.outermost = true;
    return true;
  case CFA_SAME_VALUE:
    number = frame_take_uleb(c);
    if (number == ARCH_REGISTER_FRAME_POINTER) {
      m->now.saved = 0;
      m->now.saved_elsewhere = false;
    }
    return true;
  case CFA_REGISTER:
  case CFA_VAL_OFFSET:
  case CFA_VAL_OFFSET_SF:
    set_elsewhere(m, frame_take_uleb(c));
    frame_take_uleb(c);
    return true;
  case CFA_EXPRESSION:
  case CFA_VAL_EXPRESSION:
    set_elsewhere(m, frame_take_uleb(c));
    frame_take(c, frame_take_uleb(c));
    return true;
  default:
    return false;
  }
}

static void
run_defining(struct frame_machine *m, struct frame_cursor *c, unsigned op)
{
  struct frame_state *now = &m->now;
  const int64_t factor = m->entry->common.data_factor;
  switch (op) {
  case CFA_DEF_CFA:
    now->base_register = frame_take_uleb(c);
    now->offset = (int64_t)frame_take_uleb(c);
    now->elsewhere = false;
    break;
  case CFA_DEF_CFA_SF:
    now->base_register = frame_take_uleb(c);
    now->offset = frame_take_sleb(c) * factor;
    now->elsewhere = false;
    break;
  case CFA_DEF_CFA_REGISTER:
    now->base_register = frame_take_uleb(c);
    break;
  case CFA_DEF_CFA_OFFSET:
    now->offset = (int64_t)frame_take_uleb(c);
    break;
  case CFA_DEF_CFA_OFFSET_SF:
    now->offset = frame_take_sleb(c) * factor;
    break;
  case CFA_DEF_CFA_EXPRESSION:
    frame_take(c, frame_take_uleb(c));
    now->elsewhere = true;
    break;
  case CFA_REMEMBER_STATE:
    m->lost |= m->depth == REMEMBERED;
    if (!m->lost)
      m->remembered[m->depth++] = *now;
    break;
  case CFA_RESTORE_STATE:
    m->lost |= m->depth == 0;
    if (!m->lost)
      *now = m->remembered[--m->depth];
    break;
  case CFA_GNU_ARGS_SIZE:
    frame_take_uleb(c);
    break;
  case 0: /* padding */
    break;
  default:
    m->lost = true;
    break;
  }
}

/* Whether `op' moves the place on. */
static bool
run_advance(struct frame_machine *m, struct frame_cursor *c, unsigned op)
{
  const uint64_t factor = m->entry->common.code_factor;
  if ((op & ~(unsigned)CFA_OPERAND) == CFA_ADVANCE_LOC)
    m->place += (op & CFA_OPERAND) * factor;
  else if (op == CFA_ADVANCE_LOC1)
    m->place += frame_take_number(c, 1) * factor;
  else if (op == CFA_ADVANCE_LOC2)
    m->place += frame_take_number(c, 2) * factor;
  else if (op == CFA_ADVANCE_LOC4)
    m->place += frame_take_number(c, 4) * factor;
  else if (op == CFA_SET_LOC)
    m->place = frame_take_pointer(c, m->entry->common.encoding, m->section);
  else
    return false;
  return true;
}

/* Run a program until it is past `ip'. */
static void
run(struct frame_machine *m, struct frame_cursor c, uintptr_t ip)
{
  while (c.at < c.end && !c.bad && !m->lost) {
    unsigned op = (unsigned)frame_take_number(&c, 1);
    unsigned high = op & ~(unsigned)CFA_OPERAND;
    if (run_advance(m, &c, op)) {
      if (m->place > ip)
        return;
    } else if (high == CFA_OFFSET) {
      set_saved(m, op & CFA_OPERAND, (int64_t)frame_take_uleb(&c));
    } else if (high == CFA_RESTORE) {
      restore(m, op & CFA_OPERAND);
    } else if (!run_saving(m, &c, op)) {
      run_defining(m, &c, op);
    }
  }
  m->lost |= c.bad;
}

static struct frame_rule
rule_of_state(const struct frame_state *s)
{
  struct frame_rule rule = {.base = FRAME_ELSEWHERE};
  if (s->outermost) {
    rule.base = FRAME_OUTERMOST;
    return rule;
  }
  rule.offset = (int32_t)s->offset;
  rule.saved = (int16_t)(s->saved / WORD);
  if (s->elsewhere || s->saved_elsewhere || rule.offset != s->offset ||
      rule.saved * WORD != s->saved)
    return rule;
  if (s->base_register == ARCH_REGISTER_STACK_POINTER)
    rule.base = FRAME_FROM_STACK;
  else if (s->base_register == ARCH_REGISTER_FRAME_POINTER)
    rule.base = FRAME_FROM_POINTER;
  return rule;
}

struct frame_rule
frame_rule_at(uintptr_t ip)
{
  struct frame_section section;
  struct frame_entry entry;
  struct frame_machine m = {.entry = &entry, .section = &section};
  if (!find_entry(ip, &section, &entry))
    return (struct frame_rule){.base = FRAME_UNKNOWN};
  if (entry.common.signal)
    return (struct frame_rule){.base = FRAME_OF_SIGNAL};
  if (entry.common.return_register != ARCH_REGISTER_RETURN)
    return (struct frame_rule){.base = FRAME_ELSEWHERE};
  m.place = entry.start;
  run(&m, entry.common.program, UINTPTR_MAX);
  m.place = entry.start;
  m.initial = m.now;
  run(&m, entry.program, ip);
  if (m.lost)
    return (struct frame_rule){.base = FRAME_ELSEWHERE};
  return rule_of_state(&m.now);
}

uintptr_t
frame_rule_function(uintptr_t ip)
{
  struct frame_section section;
  struct frame_entry entry;
  return find_entry(ip, &section, &entry) ? entry.start : 0;
}
