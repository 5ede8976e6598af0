/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stripes_interrupted.c -- see stripes_interrupted.h.
 *
 * Not exact: after a fork in a handler that interrupted a count of one thread
 * among several, a peak that another thread reached meanwhile may have other
 * figures of that one leaf, or not be seen.
 */
#include "malloc/count/stripes_interrupted.h"

#include "malloc/count/stripes.h"

/* How far a count came is seen in which of the figures are ahead of which:
 *
 *     the life's count         undone, as its bytes are not known
 *     and its bytes            what is live follows
 *     and the stripe's count   the same
 */
static void
mend(struct stripe *s, struct stripes_interrupted *state)
{
  struct leaf_life sum = {0}, *const life = &s->lives[s->changing];
  int64_t live;
  for (uint32_t i = LEAF_OVERFLOW; i < stripes.leaves; i++)
    leaf_life_add(&sum, &s->lives[i]);
  live = (int64_t)(sum.allocated.bytes - sum.freed.bytes) - s->live;
  if (live == 0 && sum.allocated.count == s->count &&
      sum.freed.count == s->freed_count)
    return;
  if (live == 0) {
    state->life_count = sum.allocated.count - s->count;
    state->life_freed_count = sum.freed.count - s->freed_count;
    life->allocated.count -= state->life_count;
    life->freed.count -= state->life_freed_count;
  }
  state->live = live;
  s->live += live;
  state->stripe = s;
}

/* Who has all of them may have been at sharing out what there is: those that
 * it opens must be able to go on. */
void
stripes_interrupt(struct stripes_interrupted *state)
{
  const uint32_t used = (uint32_t)(stripes_end() - stripes.stripe);
  *state = (struct stripes_interrupted){0};
  for (uint32_t i = 0; i < used; i++) {
    struct stripe *s = &stripes.stripe[i];
    if (!spin_holds(&s->lock))
      continue;
    state->opened |= UINT32_C(1) << i;
    state->changing[i] = s->changing;
    if (s->lives != NULL)
      mend(s, state);
  }
  state->all = state->opened + 1 == UINT32_C(1) << used;
  if (state->all)
    stripes_settle();
  else if ((state->opened & 1) != 0 && stripes.open == 1)
    stripe_grow(stripes.stripe);
  for (uint32_t i = 0; i < used; i++)
    if ((state->opened >> i & 1) != 0)
      spin_unlock(&stripes.stripe[i].lock);
}

void
stripes_resume(const struct stripes_interrupted *state)
{
  for (uint32_t i = 0; i < STRIPES; i++)
    if ((state->opened >> i & 1) != 0) {
      struct stripe *opened = &stripes.stripe[i];
      spin_lock(&opened->lock);
      opened->changing = state->changing[i];
      if (opened->lives != NULL) /* it may have been asked for before */
        stripe_keep_peak(&opened->lives[opened->changing]);
    }
  if (state->stripe != NULL) {
    struct leaf_life *life = &state->stripe->lives[state->stripe->changing];
    life->allocated.count += state->life_count;
    life->freed.count += state->life_freed_count;
    state->stripe->live -= state->live;
  }
  if (state->all)
    stripes.settle_again = true;
}
