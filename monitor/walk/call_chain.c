/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_chain.c -- rules are found once for each return address and shared by
 * all threads.  The few frames that no rule describes (functions that realign
 * their stack by an expression, the dynamic linker's trampoline) are left to
 * the compiler's own unwinder, which knows all registers; as that begins at
 * the innermost frame, it is slow, but it is asked only when such a frame is
 * new on the stack.
 */
#include "walk/call_chain.h"

#include <pthread.h>
#include <string.h>
#include <unwind.h>

#include "arch/registers.h"
#include "walk/rule_cache.h"

enum { FRAMES = 1 << 20 }; /* on a stack, at most: address space only */

/* ---- steps ---- */

enum step { STEP_CALLER, STEP_OUTERMOST, STEP_LOST };

/* No code of a program is there or above: what was read is no return address,
 * and its bits may be those that tell sites from addresses. */
#define CODE_END (UINT64_C(1) << 56)

/* What a step came to that read `ip'. */
static inline enum step
step_to(uintptr_t ip)
{
  if (__builtin_expect(ip - 1 < CODE_END - 1, 1))
    return STEP_CALLER;
  return ip == 0 ? STEP_OUTERMOST : STEP_LOST;
}

/* The compiler's unwinder on its way to `from' and one frame further. */
struct search {
  const struct call_frame *from;
  struct call_frame *to;
  bool found, done;
};

static _Unwind_Reason_Code
search_frame(struct _Unwind_Context *context, void *data)
{
  struct search *s = data;
  int interrupted = 0;
  const uintptr_t ip = _Unwind_GetIPInfo(context, &interrupted);
  const uintptr_t sp = _Unwind_GetCFA(context);
  if (s->found) {
    *s->to = (struct call_frame){
        .ip = ip,
        .sp = sp,
        .frame = _Unwind_GetGR(context, ARCH_REGISTER_FRAME_POINTER),
        .interrupted = interrupted != 0};
    s->done = true;
    return _URC_NORMAL_STOP;
  }
  s->found = ip == s->from->ip && sp == s->from->sp;
  return _URC_NO_REASON;
}

static enum step
step_elsewhere(const struct call_frame *from, struct call_frame *to)
{
  struct search s = {.from = from, .to = to};
  _Unwind_Backtrace(search_frame, &s);
  if (s.done && to->ip != 0)
    return step_to(to->ip);
  return s.found ? STEP_OUTERMOST : STEP_LOST;
}

/* Where the stack that `sp' is on ends, when it is one of the C library's;
 * else 0. */
static uintptr_t
end_of_stack(uintptr_t sp)
{
  extern void *__libc_stack_end;
  const uintptr_t program = (uintptr_t)__libc_stack_end;
  const uintptr_t thread = (uintptr_t)pthread_self();
  const uintptr_t largest = (uintptr_t)1 << 32;
  if (sp < thread && thread - sp < largest &&
      !(sp <= program && program < thread))
    return thread; /* its control block is at the end of its stack */
  return sp <= program && program - sp < largest ? program : 0;
}

/* Code without call-frame information, such as that of a compiler in the
 * program: it has a frame pointer, or nothing can be said.  The dynamic
 * linker's first function, which runs constructors, has neither; but then the
 * stack is as good as empty. */
enum { STACK_OF_LINKER = 64 };

static enum step
step_by_pointer(struct call_chain *chain, const struct call_frame *from,
                struct call_frame *to)
{
  const uintptr_t *at = (const uintptr_t *)from->frame;
  if (chain->stack_end < from->sp)
    chain->stack_end = end_of_stack(from->sp);
  if (chain->stack_end < from->sp)
    return STEP_LOST;
  if (chain->stack_end - from->sp < STACK_OF_LINKER)
    return STEP_OUTERMOST;
  if (from->frame < from->sp || from->frame % sizeof *at != 0 ||
      from->frame + 2 * sizeof *at > chain->stack_end)
    return STEP_LOST;
  to->ip = at[1];
  to->sp = from->frame + 2 * sizeof *at;
  to->frame = at[0];
  to->saved = at;
  to->certain = true;
  return step_to(to->ip);
}

/* A step that no rule describes. */
static enum step __attribute__((noinline))
step_otherwise(struct call_chain *chain, enum frame_base base,
               const struct call_frame *from, struct call_frame *to)
{
  *to = (struct call_frame){0};
  switch (base) {
  case FRAME_OUTERMOST:
    return STEP_OUTERMOST;
  case FRAME_OF_SIGNAL:
    arch_interrupted(from->sp, &to->ip, &to->sp, &to->frame);
    to->interrupted = true;
    return STEP_CALLER;
  case FRAME_UNKNOWN:
    return step_by_pointer(chain, from, to);
  default:
    return step_elsewhere(from, to);
  }
}

/* From one frame to the next outward; all of *to is set, and what *from says
 * of that. */
static inline enum step
step(struct call_chain *chain, struct call_frame *from, struct call_frame *to)
{
  const struct known_rule rule =
      rule_cache_find(rule_key(from->ip, from->interrupted));
  const enum frame_base base = known_rule_base(&rule);
  const int32_t saved = known_rule_saved(&rule);
  from->uses_pointer = base != FRAME_FROM_STACK && base != FRAME_OUTERMOST;
  from->passes_pointer = false;
  if (__builtin_expect(base > FRAME_FROM_POINTER, 0))
    return step_otherwise(chain, base, from, to);
  to->sp = (base == FRAME_FROM_STACK ? from->sp : from->frame) +
           (uintptr_t)(intptr_t)rule.offset;
  if (__builtin_expect(to->sp <= from->sp, 0))
    return STEP_LOST;
  to->ip = ((const uintptr_t *)to->sp)[-1];
  to->frame = from->frame;
  to->saved = NULL;
  if (saved != 0) {
    to->saved = (const uintptr_t *)(to->sp + (uintptr_t)(intptr_t)saved);
    to->frame = *to->saved;
  } else {
    from->passes_pointer = true;
  }
  to->serial = 0;
  to->context = 0;
  to->interrupted = false;
  to->certain = true;
  return step_to(to->ip);
}

/* ---- the chain ---- */

int
call_chain_init(struct call_chain *chain)
{
  const size_t frames = FRAMES * sizeof *chain->frames;
  if (arena_reserve(&chain->arena,
                    2 * frames + 2 * FRAMES * sizeof *chain->words) != 0)
    return -1;
  chain->frames = chain->arena.base;
  chain->fresh = chain->frames + FRAMES;
  chain->words = (struct chain_word *)(void *)(chain->fresh + FRAMES);
  call_chain_forget(chain);
  return 0;
}

void
call_chain_release(struct call_chain *chain)
{
  arena_release(&chain->arena);
}

/* Paths share a frame with those that are kept, or else the first of them. */
void
call_chain_forget(struct call_chain *chain)
{
  chain->depth = 1;
  chain->word_count = 0;
  chain->frames[0] = (struct call_frame){.serial = ++chain->serial};
}

static inline void
add_word(struct call_chain *chain, const uintptr_t *at, uintptr_t value)
{
  chain->words[chain->word_count++] =
      (struct chain_word){.at = at, .value = value};
}

/* No word holds what this asks for. */
static const uintptr_t nothing;

/* Put `f' into the chain as the innermost frame, or as one that others come
 * behind. */
static inline void
add_frame(struct call_chain *chain, const struct call_frame *f,
          bool innermost)
{
  struct call_frame *to = &chain->frames[chain->depth];
  *to = *f;
  to->needs_pointer =
      f->uses_pointer || (f->passes_pointer && to[-1].needs_pointer);
  to->first_word = (uint32_t)chain->word_count;
  if (to->serial == 0)
    to->serial = ++chain->serial;
  if (innermost) {
    if (to->needs_pointer)
      add_word(chain, &chain->frame, f->frame);
  } else if (!f->certain) {
    add_word(chain, &nothing, 1);
  } else {
    add_word(chain, (const uintptr_t *)f->sp - 1, f->ip);
    if (to->needs_pointer && f->saved != NULL)
      add_word(chain, f->saved, f->frame);
  }
  chain->depth++;
}

/* ---- known paths ---- */

struct known_path *
call_chain_find_next(struct call_chain *chain, uintptr_t ip, uintptr_t sp)
{
  size_t place = call_chain_place(ip, sp);
  for (int probes = PROBES; probes > 0; probes--) {
    struct known_path *path = &chain->paths[place];
    const struct chain_word *const inner = path->words;
    const struct chain_word *changed;
    if (path->ip != ip || path->sp != sp) {
      if (path->ip == 0)
        return NULL;
      place = (place + 1) % PATHS;
      continue;
    }
    changed = chain_words_changed(inner, inner + path->inner_words);
    if (changed == inner)
      return call_chain_joins(chain, path) ? path : NULL;
    place = call_chain_next_place(place, *changed[-1].at);
  }
  return NULL;
}

/* ---- walks ---- */

/* All frames from frames[result] to frames[i] are where they were, if that
 * one is; 0 when the chain ends there as well. */
static size_t
first_unchanged(const struct call_chain *chain, size_t i)
{
  const struct call_frame *frames = chain->frames;
  const struct chain_word *changed =
      chain_words_changed(chain->words, chain->words + frames[i].first_word);
  while (i > 0 && chain->words + frames[i - 1].first_word >= changed)
    i--;
  return i;
}

static inline bool
same_place(const struct call_frame *kept, const struct call_frame *f)
{
  return kept->sp == f->sp && kept->ip == f->ip &&
         kept->interrupted == f->interrupted &&
         (kept->frame == f->frame || !kept->needs_pointer);
}

/* Take the kept frame, which follows from the new one further in, for a new
 * one.  Its frame pointer was not compared if nothing needed it. */
static inline void
unkeep(struct call_frame *to, const struct call_frame *kept)
{
  *to = *kept;
  to->frame = kept->saved != NULL ? *kept->saved : to[-1].frame;
  to->serial = 0;
  to->context = 0;
}

/* Walk from *chain->fresh until a frame is met that is kept and from which on
 * nothing has changed; only frames further out than that are kept still.
 * Gives back the last frame that is to be added to them. */
static struct call_frame *
find_fresh(struct call_chain *chain)
{
  struct call_frame *const frames = chain->frames;
  struct call_frame *at = chain->fresh;
  struct call_frame *const last = at + FRAMES - 2;
  size_t i = chain->depth - 1; /* frames[i] may still be met */
  enum step s = STEP_CALLER;
  for (;;) {
    while (i > 0 && frames[i].sp < at->sp)
      i--;
    if (i > 0 && same_place(&frames[i], at)) {
      const size_t unchanged = first_unchanged(chain, i);
      at->uses_pointer = frames[i].uses_pointer;
      at->passes_pointer = frames[i].passes_pointer;
      if (unchanged == 0) {
        at->serial = frames[i].serial;
        at->context = frames[i].context;
        chain->word_count = frames[i].first_word;
        chain->depth = chain->known = i;
        return at;
      }
      for (; i > unchanged; i--, at++)
        unkeep(at + 1, &frames[i - 1]);
      i--;
    }
    if (at == last) {
      at->uses_pointer = at->passes_pointer = false;
      s = STEP_LOST;
      break;
    }
    s = step(chain, at, at + 1);
    if (s != STEP_CALLER)
      break;
    at++;
  }
  chain->complete = s == STEP_OUTERMOST;
  chain->word_count = 0;
  if (s == STEP_OUTERMOST && at[1].certain) /* by the 0 that was read */
    add_word(chain, (const uintptr_t *)at[1].sp - 1, 0);
  chain->depth = 1;
  chain->known = 0;
  return at;
}

/* Where the path of a chain that begins with `f' belongs: where it was looked
 * for in vain. */
static size_t
place_for_new(const struct call_chain *chain, const struct call_frame *f)
{
  const int in_turn = (int)(chain->serial % PROBES);
  size_t place = call_chain_place(f->ip, f->sp), chosen = place;
  for (int probe = 0; probe < PROBES; probe++) {
    const struct known_path *path = &chain->paths[place];
    const struct chain_word *changed;
    if (path->ip == 0)
      return place;
    if (probe <= in_turn)
      chosen = place;
    if (path->ip != f->ip || path->sp != f->sp) {
      place = (place + 1) % PATHS;
      continue;
    }
    changed =
        chain_words_changed(path->words, path->words + path->inner_words);
    if (changed == path->words) /* what is further out has changed */
      return place;
    place = call_chain_next_place(place, *changed[-1].at);
  }
  return chosen;
}

/* The path of the chain that was walked. */
static struct known_path *
make_path(struct call_chain *chain)
{
  const struct call_frame *const frames = chain->frames;
  const struct call_frame *innermost = &frames[chain->depth - 1];
  struct known_path *path = &chain->paths[place_for_new(chain, innermost)];
  size_t joint =
      chain->depth > PATH_WORDS ? chain->depth - PATH_WORDS - 1 : 0;
  size_t first;
  while (chain->word_count - frames[joint].first_word > PATH_WORDS)
    joint++;
  first = frames[joint].first_word;
  path->ip = 0;
  path->sp = innermost->sp;
  path->serial = frames[joint].serial;
  path->joint = (uint32_t)joint;
  path->outer_words = (uint32_t)first;
  path->inner_words = (uint32_t)(chain->word_count - first);
  path->complete = chain->complete;
  path->leaf = 0;
  memcpy(path->words, chain->words + first,
         path->inner_words * sizeof *path->words);
  return path;
}

struct known_path *
call_chain_walk(struct call_chain *chain, uintptr_t ip, uintptr_t sp,
                uintptr_t frame)
{
  struct call_frame *at;
  *chain->fresh = (struct call_frame){.ip = ip, .sp = sp, .frame = frame};
  chain->frame = frame;
  at = find_fresh(chain);
  for (; at > chain->fresh; at--)
    add_frame(chain, at, false);
  add_frame(chain, at, true);
  return make_path(chain);
}

void
call_chain_know(const struct call_chain *chain, struct known_path *path)
{
  path->ip = chain->frames[chain->depth - 1].ip;
}
