/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/count/call_chain.h"

#include <string.h>

#include "base/sizes.h"

/* Frames that a chain has memory for: at first, and at most. */
enum {
  FIRST_FRAMES = SIZE_FIRST_ARENA / sizeof(struct call_frame),
  MOST_FRAMES = 1 << 20
};

/* ---- the chain ---- */

/* Makes room for twice as many frames, with three words each. */
static __attribute__((noinline)) bool
grow(struct call_chain *chain)
{
  const size_t room = chain->room == 0 ? FIRST_FRAMES : 2 * chain->room;
  const bool made =
      room <= MOST_FRAMES &&
      arena_grow(&chain->frame_arena, room * sizeof *chain->frames) == 0 &&
      arena_grow(&chain->fresh_arena, room * sizeof *chain->fresh) == 0 &&
      arena_grow(&chain->word_arena, 3 * room * sizeof *chain->words) == 0;
  chain->frames = chain->frame_arena.base;
  chain->fresh = chain->fresh_arena.base;
  chain->words = chain->word_arena.base;
  if (made)
    chain->room = room;
  return made;
}

/* Gives frames[0] a new serial: no path that is known has it. */
void
call_chain_forget(struct call_chain *chain)
{
  chain->depth = 1;
  chain->word_count = 0;
  chain->frames[0] = (struct call_frame){.serial = ++chain->serial};
}

int
call_chain_init(struct call_chain *chain)
{
  if (!grow(chain)) {
    arena_release(&chain->frame_arena);
    arena_release(&chain->fresh_arena);
    arena_release(&chain->word_arena);
    return -1;
  }
  call_chain_forget(chain);
  return 0;
}

static inline void
add_word(struct call_chain *chain, const uintptr_t *at, uintptr_t value)
{
  chain->words[chain->word_count++] =
      (struct chain_word){.at = at, .value = value};
}

/* A word that never has the value which is asked for. */
static const uintptr_t nothing;

/* Adds F to the chain, as its innermost frame or further out. */
static inline void
add_frame(struct call_chain *chain, const struct call_frame *f,
          bool innermost)
{
  struct call_frame *to = &chain->frames[chain->depth];
  const struct stack_frame *const outer = &to[-1].at;
  *to = *f;
  to->needs_pointer =
      outer->by_pointer ||
      (outer->certain && outer->saved == NULL && to[-1].needs_pointer);
  to->first_word = (uint32_t)chain->word_count;
  if (to->serial == 0)
    to->serial = ++chain->serial;
  if (innermost) {
    if (to->needs_pointer)
      add_word(chain, &chain->frame, f->at.pointer);
  } else if (!f->at.certain) {
    add_word(chain, &nothing, 1);
  } else {
    add_word(chain, f->at.slot, *f->at.slot);
    if (to->needs_pointer && f->at.saved != NULL)
      add_word(chain, f->at.saved, f->at.pointer);
  }
  chain->depth++;
}

/* ---- known paths ---- */

/* Returns whether the path at *place begins so, and its innermost words hold
 * what they held.  If not, sets *place to the next one to probe: for a path
 * that begins so, to one that follows from the first word that has changed.
 */
static inline bool
path_matches(const struct call_chain *chain, size_t *place, uintptr_t ip,
             uintptr_t sp)
{
  const struct known_path *path = &chain->paths[*place];
  if (path->ip != ip || path->sp != sp) {
    *place = (*place + 1) % PATHS;
    return false;
  }
  const struct chain_word *changed =
      chain_words_changed(path->words, path->words + path->inner_words);
  if (changed == path->words)
    return true;
  *place = call_chain_place(*changed[-1].at, *place);
  return false;
}

/* Returns the path that begins so and sets *there, if only what is further
 * out can have changed; else a place that is free, or whose turn it is to
 * make room. */
static struct known_path *
find_place(struct call_chain *chain, uintptr_t ip, uintptr_t sp, bool *there)
{
  size_t place = call_chain_place(ip, sp), chosen = place;
  *there = false;
  for (uint64_t probe = 0; probe < PROBES; probe++) {
    const size_t at = place;
    *there = chain->paths[at].ip != 0 && path_matches(chain, &place, ip, sp);
    if (*there || chain->paths[at].ip == 0)
      return &chain->paths[at];
    if (probe <= chain->serial % PROBES)
      chosen = at;
  }
  return &chain->paths[chosen];
}

struct known_path *
call_chain_find_next(struct call_chain *chain, uintptr_t ip, uintptr_t sp)
{
  bool there;
  struct known_path *path = find_place(chain, ip, sp, &there);
  return there && call_chain_joins(chain, path) ? path : NULL;
}

/* ---- walks ---- */

/* Returns the index of the outermost frame from which on all up to frames[i]
 * are where they were, if that one is; 0 when the chain ends there as well.
 */
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
same_place(const struct call_frame *kept, const struct stack_frame *f)
{
  return kept->at.sp == f->sp && kept->at.ip == f->ip &&
         kept->at.interrupted == f->interrupted &&
         (kept->at.pointer == f->pointer || !kept->needs_pointer);
}

/* Copies a kept frame to TO, behind a new one further in.  Sets its frame
 * pointer, which was not compared if nothing needed it. */
static inline void
copy_as_new(struct call_frame *to, const struct call_frame *kept)
{
  *to = (struct call_frame){.at = kept->at};
  to->at.pointer =
      kept->at.saved != NULL ? *kept->at.saved : to[-1].at.pointer;
}

/* Walks outward from *chain->fresh, to a kept frame beyond which nothing has
 * changed, or to the end.  Shortens the chain to the frames beyond.  Returns
 * the outermost of the frames that are to be added to it. */
static struct call_frame *
find_fresh(struct call_chain *chain)
{
  struct call_frame *frames = chain->frames;
  struct call_frame *f = chain->fresh;
  size_t i = chain->depth - 1; /* frames[i] may still be met */
  enum frame_step s;
  for (;;) {
    const size_t n = (size_t)(f - chain->fresh);
    bool room = true; /* for those kept, too */
    while (room && chain->room < n + i + 3)
      room = grow(chain);
    frames = chain->frames;
    f = chain->fresh + n;
    f[1] = (struct call_frame){0};
    s = FRAME_STEP_LOST;
    if (!room)
      break;
    while (i > 0 && frames[i].at.sp < f->at.sp)
      i--;
    if (i > 0 && same_place(&frames[i], &f->at)) {
      const size_t unchanged = first_unchanged(chain, i);
      if (unchanged == 0) {
        f->serial = frames[i].serial;
        f->context = frames[i].context;
        chain->word_count = frames[i].first_word;
        chain->depth = i;
        return f;
      }
      for (; i > unchanged; i--, f++)
        copy_as_new(f + 1, &frames[i - 1]);
      f[1] = (struct call_frame){0};
      i--;
    }
    s = frame_step(&f->at, &f[1].at);
    if (s > FRAME_STEP_SIGNAL)
      break;
    f++;
  }
  chain->complete = s == FRAME_STEP_OUTERMOST;
  chain->word_count = 0;
  if (s == FRAME_STEP_OUTERMOST &&
      f[1].at.certain) /* by the 0 that was read */
    add_word(chain, f[1].at.slot, *f[1].at.slot);
  frames[0].at = (struct stack_frame){.by_pointer = f[1].at.by_pointer};
  chain->depth = 1;
  return f;
}

/* Makes the path of the chain that was walked. */
static struct known_path *
make_path(struct call_chain *chain)
{
  const struct call_frame *const frames = chain->frames;
  const struct call_frame *innermost = &frames[chain->depth - 1];
  bool there;
  struct known_path *path =
      find_place(chain, innermost->at.ip, innermost->at.sp, &there);
  size_t joint =
      chain->depth > PATH_WORDS ? chain->depth - PATH_WORDS - 1 : 0;
  while (chain->word_count - frames[joint].first_word > PATH_WORDS)
    joint++;
  size_t first = frames[joint].first_word;
  path->ip = 0;
  path->sp = innermost->at.sp;
  path->serial = frames[joint].serial;
  path->joint = (uint32_t)joint;
  path->outer_words = (uint32_t)first;
  path->inner_words = (uint32_t)(chain->word_count - first);
  path->leaf = 0;
  memcpy(path->words, chain->words + first,
         path->inner_words * sizeof *path->words);
  return path;
}

struct known_path *
call_chain_walk(struct call_chain *chain, uintptr_t ip, uintptr_t sp,
                uintptr_t frame)
{
  *chain->fresh =
      (struct call_frame){.at = {.ip = ip, .sp = sp, .pointer = frame}};
  chain->frame = frame;
  struct call_frame *at = find_fresh(chain);
  for (; at > chain->fresh; at--)
    add_frame(chain, at, false);
  add_frame(chain, at, true);
  return make_path(chain);
}
