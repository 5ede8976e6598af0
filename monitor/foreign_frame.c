/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * foreign_frame.c -- steps over foreign frames, and learns where they lie.
 *
 * Learning.  libunwind tells where one frame is, not why.  So it is asked
 * again with other values of the stack and the frame pointer: what moves with
 * one and not with the other is at a fixed distance from that one.  (A frame
 * that realigned its stack moves with neither or in some other way: no rule.)
 */
#include "foreign_frame.h"

#include "arch/arch.h"
#include "arch/unwind.h"

/* Multiples of the alignment of frames; the words there are on the stack. */
static const uintptr_t shifts[] = { 16, 48, 112 };
enum { SHIFTS = sizeof shifts / sizeof *shifts, PROBES = 16 };

_Static_assert(FOREIGN_RULES == 256, "rule_at takes eight bits");

/* What libunwind says. */
struct answer {
  int status; /* of unw_step */
  uintptr_t sp, frame;
  uintptr_t saved; /* where the caller's frame pointer is; 0: register */
};

static struct answer
ask(uintptr_t ip, uintptr_t sp, uintptr_t frame)
{
  struct answer a = { .status = -1 };
  unw_context_t context;
  unw_cursor_t cursor;
  unw_word_t new_sp, new_frame;
  unw_save_loc_t place;
  arch_unwind_context(&context, ip, sp, frame);
  if (unw_init_local2(&cursor, &context, 0) != 0)
    return a;
  /* ip is a return address: the call is before it */
  a.status = unw_step(&cursor);
  if (a.status <= 0)
    return a;
  if (unw_get_reg(&cursor, UNW_REG_SP, &new_sp) != 0 ||
      unw_get_reg(&cursor, ARCH_UNWIND_FRAME_POINTER, &new_frame) != 0) {
    a.status = -1;
    return a;
  }
  a.sp = new_sp;
  a.frame = new_frame;
  if (unw_get_save_loc(&cursor, ARCH_UNWIND_FRAME_POINTER, &place) == 0 &&
      place.type == UNW_SLT_MEMORY)
    a.saved = place.u.addr;
  return a;
}

/* The registers as they are gave answer `a'. */
static struct foreign_rule
learn(const struct foreign_registers *r, const struct answer *a)
{
  struct foreign_rule rule = { .ip = r->ip };
  bool by_sp = true, by_frame = true;
  const intptr_t saved = (intptr_t)(a->saved - a->sp);
  for (size_t i = 0; i < SHIFTS; i++) {
    const uintptr_t s = shifts[i];
    struct answer sp_moved = ask(r->ip, r->sp + s, r->frame);
    struct answer frame_moved = ask(r->ip, r->sp, r->frame + s);
    by_sp &= sp_moved.status > 0 && frame_moved.status > 0 &&
             sp_moved.sp == a->sp + s && frame_moved.sp == a->sp;
    by_frame &= sp_moved.status > 0 && frame_moved.status > 0 &&
                sp_moved.sp == a->sp && frame_moved.sp == a->sp + s;
    if (a->saved != 0)
      by_sp &= (intptr_t)(sp_moved.saved - sp_moved.sp) == saved;
    if (a->saved != 0)
      by_frame &= (intptr_t)(frame_moved.saved - frame_moved.sp) == saved;
  }
  if (by_sp == by_frame || (a->saved == 0 && a->frame != r->frame))
    return rule;
  rule.from_frame_pointer = by_frame;
  rule.frame_offset = (int32_t)(a->sp - (by_frame ? r->frame : r->sp));
  rule.saved_offset = a->saved == 0 ? 0 : (int32_t)saved;
  rule.known = true;
  return rule;
}

/* The rule for `ip', or the entry where it is to be put.  Open addressing,
 * for a rule that another one pushed out would have to be learned again and
 * again; only when all probes fail is one pushed out. */
static struct foreign_rule *
rule_at(struct foreign_rule *rules, uintptr_t ip)
{
  const size_t first = (size_t)((ip * 0x9E3779B97F4A7C15ULL) >> 56);
  struct foreign_rule *rule = NULL;
  for (size_t probe = 0; probe < PROBES; probe++) {
    rule = &rules[(first + probe) % FOREIGN_RULES];
    if (rule->ip == ip || rule->ip == 0)
      break;
  }
  return rule;
}

static enum foreign_step
step_by_libunwind(struct foreign_rule *rule, struct foreign_registers *r)
{
  struct answer a;
  if (arch_is_signal_return(r->ip))
    return FOREIGN_SIGNAL;
  a = ask(r->ip, r->sp, r->frame);
  if (a.status == 0)
    return FOREIGN_END; /* its call-frame information says: the outermost */
  if (a.status < 0 || a.sp <= r->sp)
    return FOREIGN_LOST;
  if (rule->ip != r->ip)
    *rule = learn(r, &a);
  r->sp = a.sp;
  r->frame = a.frame;
  r->ip = ((const uintptr_t *)a.sp)[-1];
  return FOREIGN_FRAME;
}

enum foreign_step
foreign_frame_step(struct foreign_rule *rules, struct foreign_registers *r)
{
  struct foreign_rule *rule = rule_at(rules, r->ip);
  uintptr_t sp;
  if (rule->ip != r->ip || !rule->known)
    return step_by_libunwind(rule, r);
  sp = (rule->from_frame_pointer ? r->frame : r->sp) +
       (uintptr_t)(intptr_t)rule->frame_offset;
  if (sp <= r->sp)
    return FOREIGN_LOST;
  if (rule->saved_offset != 0)
    r->frame = *(const uintptr_t *)(sp + (uintptr_t)(intptr_t)
                                             rule->saved_offset);
  r->sp = sp;
  r->ip = ((const uintptr_t *)sp)[-1];
  return FOREIGN_FRAME;
}

uintptr_t
foreign_frame_distance(struct foreign_rule *rules, uintptr_t ip)
{
  const struct foreign_rule *rule = rule_at(rules, ip);
  return rule->ip == ip && rule->known && !rule->from_frame_pointer
             ? (uintptr_t)(intptr_t)rule->frame_offset
             : 0;
}

void
foreign_frame_forget(struct foreign_rule *rules)
{
  for (size_t i = 0; i < FOREIGN_RULES; i++)
    rules[i].ip = 0;
}
