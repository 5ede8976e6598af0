/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * object_body.c -- objects that are made in two pieces.
 *
 * An array's data or a hash table's entries come as a second event, right
 * after the header.  Both are one object: the count moves from the leaf of
 * the bare header to the leaf of the whole size.  A signal handler may
 * allocate in between: so the last headers are remembered, and a body looks
 * for its own among them.  A body that comes later (a table grew) adds bytes
 * to the object's type and counts no object. */
#include "lisp/hook/hook.h"

/* Returns whether a header waits for its body, which will be an event. */
static bool
waits(const struct thread_state *t, const struct counted_object *c)
{
  uint32_t what;
  if (c->object == NULL)
    return false;
  what = context_tree_kind(&t->tree, c->leaf)->what;
  if ((what & LEAF_PIECES) != 0)
    return false;
  switch (what & 0xFFFF) { /* type, and no element type */
  case t_array:
  case t_vector:
  case t_bitvector:
  case t_base_string:
  case t_string:
  case t_hashtable:
    return true;
  default:
    return false;
  }
}

void
object_body_header(struct thread_state *t, const void *object,
                   struct leaf *leaf, cl_index bytes)
{
  if (waits(t, &t->last))
    t->waiting[t->waiting_next++ % WAITING_HEADERS] = t->last;
  t->last =
      (struct counted_object){.object = object, .leaf = leaf, .bytes = bytes};
  t->last_count = t->count;
}

/* Returns whether it is the last header, and may have one more body. */
static bool
continues(const struct thread_state *t, const void *owner)
{
  const struct counted_object *const c = &t->last;
  return owner == c->object && t->last_count == t->count &&
         (c->body != NULL ||
          (context_tree_kind(&t->tree, c->leaf)->what & LEAF_PIECES) == 0);
}

/* Returns the context, or the one whose children are over the budget there.
 */
static uint32_t
caller_of(const struct thread_state *t, uint32_t context)
{
  return context_tree_is_over(&t->tree, context)
             ? t->tree.contexts[context].parent
             : context;
}

/* Returns the counted header of `owner', when the function that made it, or
 * one that this called (two at most stand between), now makes a body in
 * context `up'.  NULL: the body is not the first. */
static struct counted_object *
waiting_header(struct thread_state *t, const void *owner, uint32_t up)
{
  for (unsigned i = 0; i <= WAITING_HEADERS; i++) {
    struct counted_object *c =
        i == 0 ? &t->last
               : &t->waiting[(t->waiting_next - i) % WAITING_HEADERS];
    uint32_t outer = caller_of(t, up);
    if (c->object != owner || !waits(t, c))
      continue;
    for (int calls = 0; calls < 4; calls++) {
      if (outer == caller_of(t, c->leaf->up))
        return c;
      outer = t->tree.contexts[outer].parent;
    }
  }
  return NULL;
}

/* Makes one object of header and body: moves it from the leaf of the bare
 * header to the leaf of the whole. */
static void
join_body(struct thread_state *t, struct counted_object *header,
          cl_index what, cl_index bytes, const void *memory)
{
  struct leaf *head = header->leaf, *whole;
  const struct kind *kind = context_tree_kind(&t->tree, head);
  const bool first = (kind->what & LEAF_PIECES) == 0;
  uint64_t total = header->bytes + bytes;
  what |= kind->what & ECL_ALLOCATED_NOT_SIMPLE; /* will be displaced */
  if (requests_told_by(kind))
    requests_add_objects(&t->requests, kind->what, header->bytes, 1);
  whole = context_tree_find_leaf(
      &t->tree, head->up, head->site,
      context_tree_kind_number(
          &t->tree, &(struct kind){.clas = kind->clas,
                                   .what = (uint32_t)what | LEAF_PIECES,
                                   .size = (uint16_t)leaf_size(total),
                                   .region = kind->region}));
  head->count--;
  head->bytes -= header->bytes;
  whole->count++;
  whole->bytes += total;
  if (live_table_is_open(&t->live)) {
    const ptrdiff_t leaf = allocation_leaf_offset(t, whole);
    live_table_move(&t->live, header->object, leaf);
    if (header->body != NULL)
      live_table_move(&t->live, header->body, leaf);
  }
  allocation_follow(t, whole, memory, bytes, LIVE_BODY);
  header->leaf = whole;
  header->bytes = total;
  header->body = first ? memory : NULL;
}

void
object_body(struct ecl_allocation_hooks *self, void *frame, cl_object owner,
            cl_index bytes, void *memory)
{
  struct thread_state *t = (struct thread_state *)self;
  cl_index what = classify_object(owner);

  if (hook_enter(t, 0, bytes)) {
    t->bytes += bytes;
    requests_add(&t->requests, bytes, 1);
    if (continues(t, owner)) {
      join_body(t, &t->last, what, bytes, memory);
    } else {
      struct leaf *grown = hook_leaf_here(
          t, (uintptr_t)frame, what, 0,
          owner->d.t == t_instance ? ECL_CLASS_OF(owner) : OBJNULL);
      struct counted_object *header = waiting_header(t, owner, grown->up);
      if (header != NULL) {
        join_body(t, header, what, bytes, memory);
        header->object = NULL;
      } else {
        grown->bytes += bytes;
        allocation_follow(t, grown, memory, bytes, LIVE_BODY);
      }
    }
  }
  hook_leave(t);
}
