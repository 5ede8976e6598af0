/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_interrupted.c -- counts, and changes of stripes, are
 * interrupted after each instruction by the handler of a signal.  Where that
 * does not return, what is left is exact: as before what it interrupted, or
 * as after it.  Where it frees and returns, that is counted as well, before or
 * after what it interrupted.
 */
#include "stripes_fixture.h"

#include <ucontext.h>

/* The processor traps after each one while this flag is set; the kernel
 * clears it for the handler, and sets it again behind that.  AArch64 has no
 * flag that a program may set: there all is done uninterrupted. */
#ifdef __aarch64__
#define TRAP_FROM_NOW_ON() ((void)0)
#define TRAP_NO_MORE() ((void)0)
#define TRAP_NO_MORE_IN(context) ((void)(context))
#else
#define CHANGE_FLAGS(how)                                                    \
  __asm__ volatile("sub $128, %%rsp; pushfq; " how ", (%%rsp); popfq; "      \
                   "add $128, %%rsp" ::                                      \
                       : "memory", "cc")
#define TRAP_FROM_NOW_ON() CHANGE_FLAGS("orq $0x100")
#define TRAP_NO_MORE() CHANGE_FLAGS("andq $-0x101")
#define TRAP_NO_MORE_IN(context)                                             \
  ((context)->uc_mcontext.gregs[REG_EFL] &= ~0x100)
#endif

/* What is interrupted. */
struct action {
  void (*act)(struct stripe_user *);
  uint32_t leaf; /* of what it allocates, or frees */
  size_t allocated, freed;
};

enum { USED = 4 }; /* stripes, in what follows */

static const struct action *action;
static struct model before, after; /* the action */
static unsigned traps, free_at;
static struct thread thread;
static const char *fault; /* the first one */

static void
expect(bool condition, const char *what)
{
  if (!condition && fault == NULL)
    fault = what;
}

static bool
are_as(const struct model *m)
{
  for (uint32_t i = 1; i < LEAVES; i++) {
    const struct figures got = figures_of(i);
    if (memcmp(&got, &m->leaves[i], sizeof got) != 0)
      return false;
  }
  return stripes.peak_bytes == m->peak_bytes;
}

/* What is left is as before the action or as after it. */
static void
see(void)
{
  int64_t live = 0, most = 0; /* bytes: live, and how many may be */
  const bool shared_out = stripes.live_elsewhere == SHARED_OUT;
  model = are_as(&after) ? after : before;
  expect(are_as(&model), "neither before nor after");
  for (const struct stripe *s = stripes.stripe; s < stripes_end(); s++) {
    expect(!spin_holds(&s->lock), "a stripe is locked");
    live += s->live;
    most += s->open && shared_out ? s->limit : s->live;
    expect(!s->open || s->live <= s->limit, "limit");
  }
  expect(live == (int64_t)model.live, "what is live");
  expect(shared_out || live - stripes.stripe[0].live == stripes.live_elsewhere,
         "what is live elsewhere");
  expect(most <= (int64_t)stripes.peak_bytes, "sum of limits");
}

/* Others count on: for a short time, more is live than ever was. */
static void
others_count(void)
{
  struct object o = { 0 };
  allocate(&threads[2], &o, 9, 50000);
  model_allocate(9, 50000);
  end(&threads[2], &o);
  expect(are_as(&model), "others count");
}

/* The handler could stay away, but all becomes as it was. */
static void
end_here(void)
{
  static struct leaf_counters counters[USED][LEAVES];
  static struct stripe_user users[3];
  const struct stripes there = stripes;
  memcpy(users, threads, sizeof users);
  for (int i = 0; i < USED; i++)
    if (there.stripe[i].counters != NULL)
      memcpy(counters[i], there.stripe[i].counters, sizeof *counters);
  stripes_recover();
  see();
  others_count();
  stripes = there;
  for (int i = 0; i < USED; i++)
    if (there.stripe[i].counters != NULL)
      memcpy(there.stripe[i].counters, counters[i], sizeof *counters);
  memcpy(threads, users, sizeof users);
}

static void
on_trap(int number)
{
  (void)number;
  traps++;
  end_here();
}

/* The same, where it frees at one trap, which is the last one. */
static void
on_trap_free(int number, siginfo_t *info, void *registers)
{
  (void)number;
  (void)info;
  if (++traps != free_at)
    return;
  monitor_freed(
      (uintptr_t)&objects[2],
      (struct counted){.leaf = objects[2].leaf, .epoch = stripes.epoch},
      objects[2].bytes);
  TRAP_NO_MORE_IN((ucontext_t *)registers);
}

static void
act_allocate(struct stripe_user *user)
{
  allocate(user, &objects[0], action->leaf, action->allocated);
}

static void
act_end(struct stripe_user *user)
{
  end_counted(user, &objects[1]);
}

static void
act_part(struct stripe_user *user)
{
  stripes_lock();
  stripes_open_own(user);
  stripes_unlock();
}

static void
act_gather(struct stripe_user *user)
{
  (void)user;
  gather();
}

static const struct action actions[] = {
  { act_allocate, 5, 1000, 0 },   { act_end, 7, 0, 3000 },
  { act_allocate, 6, 100000, 0 }, { act_part, 0, 0, 0 },
  { act_gather, 0, 0, 0 },        { stripes_leave, 0, 0, 0 },
};

static void
model_action(void)
{
  if (action->allocated != 0)
    model_allocate(action->leaf, action->allocated);
  if (action->freed != 0)
    model_end(action->leaf, action->freed);
}

/* What is counted before the action, which has models afterwards. */
static void
prepare(struct stripe_user *user, bool separate, int events)
{
  begin(3);
  if (separate)
    part(3);
  for (int i = 0; i < events; i++)
    step(&threads[i % 3], 7);
  for (int i = 0; i < 3; i++)
    if (objects[i].leaf != 0)
      end(user, &objects[i]);
  allocate(user, &objects[2], action->leaf != 0 ? action->leaf : 3, 2000);
  model_allocate(owned_leaf_number(objects[2].leaf), 2000);
  allocate(user, &objects[1], 7, 3000);
  model_allocate(7, 3000);
  if (separate)
    part(3);
  compare();
  before = model;
  model_action();
  after = model;
}

/* With one stripe, or with one for each thread. */
static void
interrupt(bool separate)
{
  struct stripe_user *const user = &threads[1];
  prepare(user, separate, 1000);
  TRAP_FROM_NOW_ON();
  action->act(user);
  TRAP_NO_MORE();
  assert_string_equal(fault == NULL ? "none" : fault, "none");
  model = after;
  compare();
}

/* The handler frees at the trap of that number: before the action or after it,
 * as the peak tells.  Returns false if there is no such trap. */
static bool
free_in_midst(unsigned number, bool separate)
{
  prepare(&threads[1], separate, 30);
  thread.user = threads[1];
  model_end(owned_leaf_number(objects[2].leaf), objects[2].bytes);
  after = model; /* the action comes first */
  model = before;
  model_end(owned_leaf_number(objects[2].leaf), objects[2].bytes);
  model_action();
  before = model;
  traps = 0;
  free_at = number;
  this_thread.record = &thread;
  TRAP_FROM_NOW_ON();
  action->act(&thread.user);
  TRAP_NO_MORE();
  this_thread.record = NULL;
  threads[1] = thread.user;
  if (traps < number)
    return false;
  stripes_lock();
  stripes_unlock();
  model = are_as(&after) ? after : before;
  compare();
  return true;
}

TEST(test_frees)
{
#ifndef __aarch64__
  const struct sigaction frees = {.sa_sigaction = on_trap_free,
                                  .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &frees, NULL);
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    for (int separate = 0; separate < 2; separate++) {
      unsigned number = 1;
      action = &actions[i];
      while (free_in_midst(number, separate != 0))
        number += action->leaf == 0 ? 13 : separate ? 3 : 1;
      assert_true(number > 5);
    }
  signal(SIGTRAP, SIG_DFL);
#endif
}

TEST(test_interrupted)
{
  signal(SIGTRAP, on_trap);
  for (int round = 0; round < 10; round++)
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
      for (int separate = 0; separate < 2; separate++) {
        action = &actions[i];
        interrupt(separate != 0);
      }
#ifndef __aarch64__
  assert_true(traps > 20000);
#endif
  signal(SIGTRAP, SIG_DFL);
}

/* Of this program itself, nothing counts. */
static int
begin_tests(void **state)
{
  (void)state;
  monitor_count(false);
  monitor.ready = false;
  return 0;
}

RUN_TESTS(begin_tests, NULL)
