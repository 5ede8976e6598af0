/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lookup.c -- an allocation that is not like one of the last ones.
 *
 * The commonest case is that all new frames, up to a marked one, have frame
 * pointers: the plain walk.  When they are few, it is remembered
 * (known_walk.h).  All else goes to stack_walk.
 */
#include "leaf_lookup.h"

#include <errno.h>

#include "hook/classify.h"
#include "code/code_index.h"
#include "hook/hook_internal.h"
#include "walk/stack_walk.h"

/* A run has begun since this thread was last counted. */
static void
start_over(struct thread_state *t)
{
  marker_stack_restore(&t->markers);
  thread_state_forget_calls(t);
  thread_state_forget_objects(t);
  t->stale = false;
}

/* An allocator that ran out of memory calls Lisp handlers, which may allocate
 * and then let it go on: a walk has met and marked its frame, and those of
 * the allocators below it, like any other.  Now that frame is about to report
 * its own allocation: give them all back their return addresses.  True when
 * there was one: then that walk has counted the frames above. */
static bool
unmark_allocator(struct thread_state *t, uintptr_t frame)
{
  uintptr_t *slot = frame_return_slot(frame);
  if (!marker_stack_is_marked(slot))
    return false;
  marker_stack_restore_to(&t->markers, slot);
  return true;
}

/* The marked frame that a plain walk leads to. */
struct outer_frame {
  uintptr_t *slot;
  uintptr_t distance;  /* see struct known_walk */
  enum code_kind kind; /* as in struct walked_frame */
};

/* The marked frame outward of `last', if its code is foreign: C that calls
 * Lisp. */
static bool
foreign_outer(const struct thread_state *t, const struct walked_frame *last,
              struct outer_frame *outer)
{
  outer->distance = foreign_frame_distance(t->foreign_rules, last->site);
  outer->slot = last->slot + outer->distance / sizeof(uintptr_t);
  outer->kind = CODE_FOREIGN;
  return outer->distance != 0 && t->markers.top->slot == outer->slot &&
         marker_stack_is_marked(outer->slot);
}

/* The new frames, from the allocating function's outward, and the marked one
 * in *outer.  Gives back how many, or -1 when the stack walk must do it. */
static ptrdiff_t
plain_frames(struct thread_state *t, const struct allocation *a,
             struct outer_frame *outer)
{
  struct walked_frame *f = t->walk, *const end = t->walk + t->walk_limit;
  uintptr_t frame = frame_caller(a->frame), caller, site = 0;
  enum code_kind kind = code_index_kind(*frame_return_slot(a->frame));
  uint32_t run;

  if (!code_kind_keeps_frame(kind))
    return -1;
  for (; !marker_stack_is_marked(frame_return_slot(frame)); f++) {
    if (f == end)
      return -1;
    f->slot = frame_return_slot(frame);
    f->site = *f->slot;
    f->kind = kind;
    f->run = 1;
    site = f->site;
    kind = code_index_kind(site);
    if (kind == CODE_FOREIGN)
      return foreign_outer(t, f, outer) ? f + 1 - t->walk : -1;
    if (!code_kind_keeps_frame(kind) && kind != CODE_DISPATCH)
      return -1;
    for (run = 0;; run++) { /* recursion */
      caller = frame_caller(frame);
      if (caller <= frame || caller >= t->stack_base)
        return -1;
      frame = caller;
      if (*frame_return_slot(frame) != site)
        break;
      if (++f == end)
        return -1;
      f->slot = frame_return_slot(frame);
    }
    if (run > 0) {
      f->site = site;
      f->kind = kind;
      f->run = run;
    }
  }
  if (kind == CODE_DISPATCH) /* it has the mark of what jumped to it */
    return -1;
  outer->slot = frame_return_slot(frame);
  outer->distance = 0;
  outer->kind = kind;
  return f - t->walk;
}

/* The innermost of the `n' new frames that an earlier walk has met, though it
 * did not mark it; it has met those outward of it too.  `n' for none. */
static ptrdiff_t
first_met(const struct thread_state *t, ptrdiff_t n)
{
  ptrdiff_t met = n;
  for (ptrdiff_t i = n; i > 0;) {
    const struct walked_frame *f = &t->walk[i - 1];
    i -= f->run;
    if (code_kind_was_met(f->kind))
      met = i;
  }
  return met;
}

/* Mark the allocating function's frame?  Not when this is its last object, or
 * its first; then, if it may make it again. */
static bool
mark_allocating(enum code_kind kind)
{
  return kind == CODE_FRAME_POINTER || kind == CODE_SINGLE_CALL ||
         kind == CODE_AFTER_FIRST;
}

/* Where a walk is on the path from the last marked frame. */
struct way {
  uint32_t path;         /* so far */
  bool open;             /* the frame that was met last is told by it */
  bool outermost;        /* the marked frame is the one that the walk led to, */
  uint32_t path_before;  /* and this is its path */
};

/* One frame inward, which was called at `site', of kind `caller'.  Gives back
 * whether it is known to have been counted before. */
static bool
way_goes_on(struct way *way, struct call_paths *paths, enum code_kind caller,
            uint64_t site)
{
  way->open = way->open && code_kind_is_single(caller) &&
              paths->paths[way->path].depth < CALL_PATH_DEPTH;
  if (way->open) {
    const uint32_t path = call_path_child(paths, way->path, site, true);
    way->open = path != 0;
    if (way->open)
      way->path = path;
  }
  return way->open && way->outermost &&
         call_path_common(paths, way->path, way->path_before) ==
             paths->paths[way->path].depth;
}

/* A walk that can be repeated, and where it may be kept. */
struct walk_to_keep {
  struct known_walk walk;
  struct known_walk *place; /* NULL: it cannot */
};

/* The walk for the commonest case; false, with nothing changed, when it is
 * something else.  Recursion repeats contexts: the tree is asked once, and
 * such frames take a short way. */
static bool
plain_walk(struct thread_state *t, const struct allocation *a,
           struct walk_result *r, struct walk_to_keep *keep)
{
  struct known_walk *const walk = &keep->walk;
  struct outer_frame outer;
  const ptrdiff_t n = plain_frames(t, a, &outer);
  const bool remember = n > 0 && n <= KNOWN_FRAMES;
  const ptrdiff_t met = first_met(t, n);
  ptrdiff_t callee = -1; /* the new frame outward of this one */
  uint64_t through = 0, last_site = 0;
  uint32_t up, last_up = 0, run = 0;
  const struct walked_frame *of_run = NULL;
  struct context *c = NULL;
  enum code_kind caller_kind = outer.kind;
  struct known_frame *marked = NULL; /* the last frame that was */
  bool counted = true; /* the frame that made this call, by an earlier walk */
  struct way way;

  if (n < 0 || t->markers.limit - t->markers.top <= n)
    return false;
  up = marker_stack_find(&t->markers, outer.slot)->up;
  walk->outer_up = up;
  walk->outer_distance = outer.distance;
  walk->frames = (uint8_t)n;
  walk->unmark = code_kind_is_last(outer.kind);
  walk->fresh = met > 0;
  walk->tells = n > 0 && (t->walk[0].kind == CODE_FIRST_OBJECT ||
                          t->walk[0].kind == CODE_SINGLE_AFTER);
  walk->path = 0;
  walk->keep_path = false;
  way = (struct way){ .open = outer.distance == 0 && !walk->unmark,
                      .outermost = true,
                      .path_before = t->markers.top->path };
  walk->site = 0;
  if (remember) {
    walk->site = *frame_return_slot(a->frame);
    walk->kind = 0;
    walk->plain_frames = outer.distance == 0 && met == n ? (uint8_t)n : 0;
    keep->place = known_walk_place(t->known_walks, &t->markers, walk->site,
                                   frame_caller(a->frame));
  }
  if (walk->unmark)
    marker_stack_pop(&t->markers);
  for (ptrdiff_t i = n; i-- > 0;) {
    uint64_t site;
    bool mark, counted_before, last, told;
    if (run == 0) {
      of_run = &t->walk[i];
      run = of_run->run;
    }
    run--;
    site = of_run->site;
    if (of_run->kind == CODE_DISPATCH) {
      way.open = false;
      if (through == 0)
        through = site;
      if (remember)
        walk->frame[i] = (struct known_frame){ site, &t->uncounted, 0, 0 };
      continue;
    }
    if (through != 0) {
      site = through;
      through = 0;
    }
    if (c == NULL || site != last_site || up != last_up) {
      last_site = site;
      last_up = up;
      c = &t->tree.contexts[context_tree_child(&t->tree, up, site)];
    }
    /* Recursion would make many paths of few functions. */
    if (c != &t->tree.contexts[c->target])
      way.open = false;
    counted_before = way_goes_on(&way, &t->paths, caller_kind, of_run->site);
    caller_kind = of_run->kind;
    last = code_kind_is_last(caller_kind);
    /* Where the allocating function tells of itself, its caller need not be
     * marked: later walks are as short.  Elsewhere they would be longer, and a
     * look at the path costs more than the return that it saves (instructions
     * against the unpatched ECL, where every such frame was left unmarked, and
     * so: random-floats 1.53 and 1.19, frpoly-bignum 1.56 and 1.40). */
    told = i == 1 && walk->tells && !last && remember && way.open &&
           code_kind_is_single(caller_kind);
    mark = i == 0 ? mark_allocating(caller_kind) : !told && !last;
    if (way.open && way.outermost)
      walk->path = way.path;
    if (told) {
      t->markers.top->path = way.path;
      if (way.outermost)
        walk->keep_path = true;
      else
        marked->mark = way.path << 1 | 1;
      walk->plain_frames = 0;
    }
    if (callee >= 0) { /* the frame that made this call is not marked */
      uint64_t *activations = callee < met ? &c->activations : &t->uncounted;
      if (!counted)
        ++*activations;
      if (remember)
        walk->frame[callee].activations = activations;
    }
    callee = i;
    counted = counted_before;
    up = c->target;
    if (mark) {
      marker_stack_put(&t->markers, t->walk[i].slot, up);
      if (remember)
        way = (struct way){ .open = true };
    }
    if (remember) {
      walk->frame[i] = (struct known_frame){ of_run->site, NULL, up, mark };
      marked = mark ? &walk->frame[i] : marked;
    } else if (run > 0 && up == last_up && !way.open) {
      /* the rest of the run is like it */
      if (i < met)
        c->activations += run;
      callee = i - run;
      while (i > callee) {
        i--;
        if (mark)
          marker_stack_put(&t->markers, t->walk[i].slot, up);
      }
      run = 0;
    }
  }
  r->site = *frame_return_slot(a->frame);
  r->up = up;
  r->activation = met > 0 && !counted;
  return true;
}

static bool
begins_alike(const struct known_walk *place, const struct known_walk *walk)
{
  return place->site == walk->site && place->outer_up == walk->outer_up &&
         place->frame[0].return_address == walk->frame[0].return_address;
}

/* What the I-th frame of a walk returns to. */
static uintptr_t
returns_to(const struct known_walk *walk, size_t i)
{
  return i < walk->frames ? walk->frame[i].return_address
                          : (uintptr_t)mprof_return_trampoline;
}

/* Put a walk into the table: where one that begins like it is, that one
 * stays, and this one goes where the hook looks when they differ.  Any other
 * makes room and goes to the other place of the two, as the first is the one
 * that is found at once.  (What a program did at its beginning is often done
 * no more: mandelbrot-floats, whose walk met one of the loader's: 1.33 times
 * the instructions of the unpatched ECL when that one stayed, 1.25 when it
 * goes.) */
static void
keep_walk(struct thread_state *t, const struct walk_to_keep *keep)
{
  const struct known_walk *const walk = &keep->walk;
  struct known_walk *place = keep->place;
  struct known_walk *const other = known_walk_other_way(place);
  size_t i = 0;
  if (begins_alike(place, walk) || begins_alike(other, walk)) {
    if (!begins_alike(place, walk))
      place = other;
    while (i < walk->frames && i < place->frames &&
           returns_to(walk, i) == returns_to(place, i))
      i++;
    if (i < place->frames)
      place = known_walk_second_place(t->known_walks, place,
                                      returns_to(walk, i));
    else if (i < walk->frames)
      place = known_walk_second_place(t->known_walks, place, 0);
  } else if (place->site != 0) {
    *other = *place;
  }
  *place = *walk;
}

static const struct known_leaf *
keep_leaf(struct thread_state *t, const struct allocation *a, uint32_t up,
          uintptr_t site, struct leaf *leaf)
{
  const struct known_leaf l = {
    .site = site,
    .kind = ECL_ALLOCATED_KIND(a->what, a->bytes),
    .leaf = leaf,
    .clas = a->clas,
    .up = up,
    .then = !a->whole ? LEAF_BODY
            : code_kind_is_last(code_index_kind(site)) ? LEAF_UNMARK
                                                       : LEAF_NOTHING,
    .after = code_kind_was_met(code_index_kind(site))
  };
  return known_leaf_keep(t->known_leaves, &l);
}

static struct leaf *
leaf_of(struct thread_state *t, const struct allocation *a, uint32_t up,
        uint64_t site, uint32_t size)
{
  const uint32_t what =
      (uint32_t)a->what | t->regions.region << KIND_REGION_SHIFT;
  struct leaf *leaf = context_tree_leaf(&t->tree, up, site, what, size,
                                        (uint64_t)(uintptr_t)a->clas);
  if (leaf->count == 0 && a->clas != OBJNULL)
    code_index_keep(a->clas);
  return leaf;
}

static struct leaf *
look_up(struct thread_state *t, const struct allocation *a, uint32_t size,
        bool keep)
{
  const int saved_errno = errno;
  struct walk_result r;
  struct walk_to_keep walk;
  struct leaf *leaf;
  bool counted, plain;

  if (t->stale)
    start_over(t);
  mprof_markers = &t->markers;
  counted = unmark_allocator(t, a->frame);
  walk.place = NULL;
  plain = !counted && t->markers_allowed && plain_walk(t, a, &r, &walk);
  if (!plain)
    r = stack_walk(t, a->frame, counted);
  leaf = leaf_of(t, a, r.up, r.site, size);
  if (r.activation)
    leaf->activations++;
  if (plain && keep && walk.walk.tells)
    thread_state_tell(t, t->walk[0].slot, r.up);
  if (plain && keep && hook_leaf_tells_requests(t, leaf)) {
    if (known_leaf_find(t->known_leaves, r.site, r.up,
                        ECL_ALLOCATED_KIND(a->what, a->bytes),
                        a->clas) == NULL)
      keep_leaf(t, a, r.up, r.site, leaf);
    if (walk.place != NULL)
      keep_walk(t, &walk);
  }
  errno = saved_errno;
  return leaf;
}

const struct known_leaf *
leaf_lookup_in_context(struct thread_state *t, uintptr_t site, uint32_t up,
                       cl_index kind, cl_object clas)
{
  const int saved_errno = errno;
  const struct allocation a = leaf_lookup_allocation(0, kind, clas);
  const enum code_kind code = code_index_kind(site);
  const struct known_leaf *known = NULL;

  if (!t->stale && t->tree.overflowed == 0 &&
      code_kind_keeps_frame(code) && a.bytes <= LEAF_MAX_SIZE && !classify_is_memory_of_type(a.what)) {
    struct leaf *leaf = leaf_of(t, &a, up, site, (uint32_t)a.bytes);
    if (hook_leaf_tells_requests(t, leaf))
      known = keep_leaf(t, &a, up, site, leaf);
  }
  errno = saved_errno;
  return known;
}

struct leaf *
leaf_lookup(struct thread_state *t, const struct allocation *a, uint32_t size)
{
  return look_up(t, a, size, false);
}

struct leaf *
leaf_lookup_to_keep(struct thread_state *t, const struct allocation *a)
{
  return look_up(t, a, hook_leaf_size(a->bytes), true);
}

bool
leaf_lookup_drop_dead(struct thread_state *t, uintptr_t frame)
{
  const struct marker *top = t->markers.top;
  uintptr_t site = *frame_return_slot(frame);
  while (t->markers.top > t->markers.bottom &&
         !marker_stack_is_marked(t->markers.top->slot))
    t->markers.top--;
  /* Marks inward of this frame are dead as well, unless they are on another
   * stack: let the frames say. */
  if (t->markers.top == t->markers.bottom ||
      t->markers.top->slot >= (uintptr_t *)frame)
    return t->markers.top != top;
  for (int i = 0; i <= KNOWN_FRAMES; i++) {
    enum code_kind kind = code_index_kind(site);
    if (!code_kind_keeps_frame(kind))
      break;
    frame = frame_caller(frame);
    if (marker_stack_is_marked(frame_return_slot(frame))) {
      marker_stack_find(&t->markers, frame_return_slot(frame));
      break;
    }
    site = *frame_return_slot(frame);
  }
  return t->markers.top != top;
}
