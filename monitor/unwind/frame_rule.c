/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * frame_rule.c -- finds the entry of a function (FDE) in the table that
 * linkers put before the section .eh_frame (.eh_frame_hdr), which is sorted
 * by address; reads it with the common one (CIE) that it refers to, which
 * says how addresses are written; and runs the programs of both.  The dynamic
 * linker says without a lock which object an address is in.
 *
 * The format is that of the Linux Standard Base (Exception Frames) and of
 * DWARF 5, section 6.4.  Nothing is read beyond the end of an entry.
 */
#include "unwind/frame_rule.h"

#include <dlfcn.h>
#include <dwarf.h>

#include "arch/arch.h"

/* ---- what entries consist of ---- */

struct cursor {
  const uint8_t *at, *end;
  bool bad; /* something lay beyond the end */
};

/* The next `n' bytes, or NULL. */
static const uint8_t *
take(struct cursor *c, size_t n)
{
  const uint8_t *bytes = c->at;
  if (c->bad || (size_t)(c->end - c->at) < n) {
    c->bad = true;
    return NULL;
  }
  c->at += n;
  return bytes;
}

/* A little-endian number of `n' bytes. */
static uint64_t
take_number(struct cursor *c, size_t n)
{
  const uint8_t *bytes = take(c, n);
  uint64_t value = 0;
  for (size_t i = 0; bytes != NULL && i < n; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

/* A number in LEB128: seven bits a byte, the lowest first; with a sign, that
 * is the last bit.  What is beyond 64 bits is dropped. */
static uint64_t
take_leb(struct cursor *c, bool has_sign)
{
  uint64_t value = 0;
  unsigned bits = 0;
  const uint8_t *byte;
  do {
    byte = take(c, 1);
    if (byte == NULL)
      return 0;
    if (bits < 64)
      value |= (uint64_t)(*byte & 0x7F) << bits;
    bits += 7;
  } while ((*byte & 0x80) != 0);
  if (has_sign && bits < 64 && (*byte & 0x40) != 0)
    value |= ~UINT64_C(0) << bits;
  return value;
}

static uint64_t
take_uleb(struct cursor *c)
{
  return take_leb(c, false);
}

/* An address, written as `encoding' (DW_EH_PE_...) says. */
static uint64_t
take_pointer(struct cursor *c, unsigned encoding)
{
  static const uint8_t sizes[] = { [DW_EH_PE_absptr] = 8,
                                   [DW_EH_PE_udata2] = 2,
                                   [DW_EH_PE_udata4] = 4,
                                   [DW_EH_PE_udata8] = 8 };
  const unsigned format = encoding & 7;
  const uintptr_t place = (uintptr_t)c->at;
  uint64_t value, sign;
  if (format >= sizeof sizes || sizes[format] == 0) {
    c->bad = true;
    return 0;
  }
  value = take_number(c, sizes[format]);
  sign = UINT64_C(1) << (8 * sizes[format] - 1);
  if ((encoding & DW_EH_PE_signed) != 0)
    value = (value ^ sign) - sign;
  return (encoding & 0x70) == DW_EH_PE_pcrel ? value + place : value;
}

/* ---- entries ---- */

/* What is to be known of a function and the entry that is common to it and
 * others. */
struct entry {
  uintptr_t start;
  size_t size;
  struct cursor program, common_program;
  unsigned encoding; /* of addresses */
  bool augmented;    /* functions have augmentation data */
  bool signal;       /* the frames are those of signal handlers */
  uint64_t code_factor, return_register;
  int64_t data_factor;
};

/* Behind the length of the entry at `at', with its end. */
static struct cursor
open_entry(const uint8_t *at)
{
  struct cursor c = { .at = at, .end = at + 12 };
  uint64_t size = take_number(&c, 4);
  if (size == UINT32_MAX)
    size = take_number(&c, 8);
  c.end = c.at + size;
  return c;
}

/* The data that the letters of an augmentation after `z' announce. */
static void
read_augmentation(struct entry *e, const char *letters, struct cursor c)
{
  for (; *letters != '\0'; letters++)
    if (*letters == 'R')
      e->encoding = (unsigned)take_number(&c, 1);
    else if (*letters == 'L')
      take(&c, 1);
    else if (*letters == 'P')
      take_pointer(&c, (unsigned)take_number(&c, 1));
    else if (*letters == 'S')
      e->signal = true;
    else if (*letters != 'B')
      return; /* not known: what comes after it is not, either */
}

static bool
read_common(struct entry *e, struct cursor c)
{
  const bool is_common = take_number(&c, 4) == 0;
  const uint64_t version = take_number(&c, 1);
  const char *augmentation = (const char *)c.at;
  while (take_number(&c, 1) != 0)
    ;
  e->code_factor = take_uleb(&c);
  e->data_factor = (int64_t)take_leb(&c, true);
  e->return_register = version == 1 ? take_number(&c, 1) : take_uleb(&c);
  e->signal = false;
  e->encoding = DW_EH_PE_absptr;
  if (c.bad)
    return false;
  e->augmented = augmentation[0] == 'z';
  if (e->augmented) {
    const uint64_t size = take_uleb(&c);
    read_augmentation(e, augmentation + 1, c);
    take(&c, size);
  } else if (augmentation[0] != '\0') {
    return false;
  }
  e->common_program = c;
  return is_common && !c.bad;
}

static bool
read_entry(struct entry *e, const uint8_t *at)
{
  struct cursor c = open_entry(at);
  const uint8_t *place = c.at;
  const uint64_t back = take_number(&c, 4);
  if (back == 0 || !read_common(e, open_entry(place - back)))
    return false;
  e->start = take_pointer(&c, e->encoding);
  e->size = take_pointer(&c, e->encoding & 0x0F);
  if (e->augmented)
    take(&c, take_uleb(&c));
  e->program = c;
  return !c.bad;
}

/* What the header's table looks like for all linkers: a pointer to the
 * section and the number of entries as four bytes, entries as two times four
 * signed bytes from where the header is. */
static const uint8_t header_start[] = { 1, 0x1b, 0x03, 0x3b };

struct header {
  uint8_t start[4];
  int32_t section;
  uint32_t count;
  struct {
    int32_t function, entry; /* from the header */
  } table[];
};

/* The entry of the function that `ip' is in. */
static bool
find_entry(uintptr_t ip, struct entry *e)
{
  struct dl_find_object object;
  const struct header *header;
  uintptr_t base;
  size_t low = 0, high;
  if (_dl_find_object((void *)ip, &object) != 0 ||
      object.dlfo_eh_frame == NULL)
    return false;
  header = object.dlfo_eh_frame;
  base = (uintptr_t)header;
  if (memcmp(header->start, header_start, sizeof header_start) != 0)
    return false;
  high = header->count;
  while (low < high) { /* the last that begins at or before ip */
    const size_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)header->table[middle].function <= ip)
      low = middle + 1;
    else
      high = middle;
  }
  return low != 0 &&
         read_entry(e, (const uint8_t *)header +
                           header->table[low - 1].entry) &&
         ip >= e->start && ip - e->start < e->size;
}

uintptr_t
frame_rule_function(uintptr_t ip)
{
  struct entry entry;
  return find_entry(ip, &entry) ? entry.start : 0;
}

/* ---- programs ---- */

enum { WORD = sizeof(uintptr_t) };

/* What is known at some place of a function. */
struct state {
  uint64_t base_register;
  int64_t offset; /* of the frame from it */
  int64_t saved;  /* of the frame pointer from the frame; 0: not saved */
  bool elsewhere; /* an expression says where the frame is */
  bool saved_elsewhere;
  bool outermost; /* there is no return address */
};

enum { REMEMBERED = 8 }; /* states on the stack of a program, at most */

struct machine {
  struct state now, initial, remembered[REMEMBERED];
  size_t depth;
  uintptr_t place; /* in the function's code */
  const struct entry *entry;
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
  [DW_CFA_GNU_args_size] = "u",
};

static uint64_t
take_operand(struct cursor *c, char kind, unsigned encoding)
{
  switch (kind) {
  case '\0': return 0;
  case 'u': return take_uleb(c);
  case 's': return take_leb(c, true);
  case 'p': return take_pointer(c, encoding);
  case 'b': return take(c, take_uleb(c)) != NULL;
  default: return take_number(c, (size_t)(kind - '0'));
  }
}

/* Register `number' is saved at `offset'. */
static void
set_saved(struct state *now, uint64_t number, int64_t offset)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    now->saved = offset;
    now->saved_elsewhere = offset == 0;
  } else if (number == ARCH_REGISTER_RETURN && offset != -WORD) {
    now->elsewhere = true;
  }
}

/* Register `number' is in a way that rules cannot say. */
static void
set_elsewhere(struct state *now, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER)
    now->saved_elsewhere = true;
  else if (number == ARCH_REGISTER_RETURN ||
           number == ARCH_REGISTER_STACK_POINTER)
    now->elsewhere = true;
}

/* Register `number' is where it was in the state `from'. */
static void
restore(struct state *now, const struct state *from, uint64_t number)
{
  if (number == ARCH_REGISTER_FRAME_POINTER) {
    now->saved = from->saved;
    now->saved_elsewhere = from->saved_elsewhere;
  } else if (number == ARCH_REGISTER_RETURN) {
    now->outermost = from->outermost;
  }
}

/* One instruction, with its operands. */
static void
run_one(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
  static const struct state unsaved;
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
    if (a == ARCH_REGISTER_FRAME_POINTER)
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
    now->offset = (int64_t)a;
    break;
  case DW_CFA_def_cfa_offset_sf:
    now->offset = (int64_t)a * factor;
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
  case DW_CFA_GNU_args_size:
  case DW_CFA_nop:
    break;
  default:
    m->lost = true;
    break;
  }
}

/* Run a program until it is past `ip'. */
static void
run(struct machine *m, struct cursor c, uintptr_t ip)
{
  m->place = m->entry->start;
  while (c.at < c.end && !m->lost && m->place <= ip) {
    unsigned op = (unsigned)take_number(&c, 1);
    uint64_t a = op & 0x3F, b = 0; /* an operand, where the upper bits tell */
    if ((op & 0xC0) != 0) {
      op &= 0xC0;
      if (op == DW_CFA_offset)
        b = take_uleb(&c);
    } else if (op < sizeof operands / sizeof *operands) {
      a = take_operand(&c, operands[op][0], m->entry->encoding);
      b = take_operand(&c, operands[op][1], m->entry->encoding);
    }
    m->lost |= c.bad;
    run_one(m, op, a, b);
  }
}

static struct frame_rule
rule_of_state(const struct state *s)
{
  struct frame_rule rule = { .base = FRAME_ELSEWHERE };
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
  struct entry entry;
  struct machine m = { .entry = &entry };
  if (!find_entry(ip, &entry))
    return (struct frame_rule){ .base = FRAME_UNKNOWN };
  if (entry.signal)
    return (struct frame_rule){ .base = FRAME_OF_SIGNAL };
  run(&m, entry.common_program, UINTPTR_MAX);
  m.initial = m.now;
  run(&m, entry.program, ip);
  if (m.lost || entry.return_register != ARCH_REGISTER_RETURN)
    return (struct frame_rule){ .base = FRAME_ELSEWHERE };
  return rule_of_state(&m.now);
}

/* ---- the table ---- */

struct shared_table frame_rules = SHARED_TABLE_EMPTY;

_Static_assert(sizeof(struct frame_rule) == sizeof(uint64_t),
               "a rule is the value of an entry");

struct frame_rule
frame_rule_learn(uint64_t key)
{
  const uintptr_t ip = key >> 1;
  const bool returns = (key & 1) == 0; /* to behind the call */
  struct frame_rule rule = frame_rule_at(returns ? ip - 1 : ip);
  uint64_t value;
  /* Nothing returns to where a function begins: the address was put there to
   * be returned to, where a new stack begins (makecontext). */
  if (rule.base == FRAME_UNKNOWN && returns && frame_rule_function(ip) == ip)
    rule.base = FRAME_OUTERMOST;
  memcpy(&value, &rule, sizeof value);
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
  spin_unlock(&frame_rules.lock);
}

void
frame_rules_forked(void)
{
  frame_rules.lock.holder = 0;
}
