/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Not exact: after a fork in a handler that interrupted a count of one thread
 * among several, a peak that another thread reached meanwhile may have other
 * figures of that one leaf, or not be seen.
 */
#include "c/count/stripes_interrupted.h"

#include "c/count/stripes.h"

/* How far a count came is seen in which of the figures are ahead of which:
 *
 *     the leaf's count         undone, as its bytes are not known
 *     and its bytes            what is live follows
 *     and the stripe's count   the same
 */
static void
repair(struct stripe *s, struct stripes_interrupted *state)
{
  struct leaf_counters sum = {0}, *const counters =
                                      &s->counters[s->current_leaf];
  int64_t live;
  for (uint32_t i = LEAF_OVERFLOW; i < stripes.leaves; i++)
    leaf_counters_add(&sum, &s->counters[i]);
  live = (int64_t)(sum.allocated.bytes - sum.freed.bytes) - s->live;
  if (live == 0 && sum.allocated.count == s->count &&
      sum.freed.count == s->freed_count)
    return;
  if (live == 0) {
    state->allocated_count = sum.allocated.count - s->count;
    state->freed_count = sum.freed.count - s->freed_count;
    counters->allocated.count -= state->allocated_count;
    counters->freed.count -= state->freed_count;
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
    state->current_leaf[i] = s->current_leaf;
    if (s->counters != NULL)
      repair(s, state);
  }
  state->all = state->opened + 1 == UINT32_C(1) << used;
  if (state->all)
    stripes_rebalance();
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
      opened->current_leaf = state->current_leaf[i];
      if (opened->counters != NULL) /* it may have been asked for before */
        stripe_keep_peak(&opened->counters[opened->current_leaf]);
    }
  if (state->stripe != NULL) {
    struct leaf_counters *counters =
        &state->stripe->counters[state->stripe->current_leaf];
    counters->allocated.count += state->allocated_count;
    counters->freed.count += state->freed_count;
    state->stripe->live -= state->live;
  }
  if (state->all)
    stripes.rebalance_again = true;
}
