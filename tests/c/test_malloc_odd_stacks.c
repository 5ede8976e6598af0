/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Call chains on stacks that change in odd ways: frames of no fixed size,
 * words that are left of old ones, calls from the C library, jumps, signals
 * and coroutines.
 */
#include "call_chain_fixture.h"

#include <time.h>
#include <ucontext.h>

/* A frame is replaced by another of the same size, and what the old one left
 * on the stack lies below. */
static NOINLINE void
deep_and_gone(int n)
{
  volatile uintptr_t room[16];
  for (int i = 0; i < 16; i++)
    room[i] = (uintptr_t)i;
  if (n > 0)
    deep_and_gone(n - 1);
  else
    walk();
  sink = (int)room[n & 15];
}

static NOINLINE void
other_deep(int n)
{
  volatile uintptr_t room[16]; /* not written */
  if (n > 0)
    other_deep(n - 1);
  else
    walk();
  room[0] = 1;
  sink = (int)room[0];
}

TEST(test_stale_words)
{
  for (int i = 0; i < 60; i++) {
    deep_and_gone(i % 20);
    other_deep(i % 20);
    other_deep((i + 1) % 20);
  }
}

static int
compare_ints(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  walk();
  return (x > y) - (x < y);
}

TEST(test_callbacks)
{
  int numbers[100];
  for (int i = 0; i < 100; i++)
    numbers[i] = i * 7919 % 101;
  qsort(numbers, 100, sizeof *numbers, compare_ints);
  bsearch(&numbers[17], numbers, 100, sizeof *numbers, compare_ints);
}

static NOINLINE void
with_room(int n)
{
  volatile char *p = __builtin_alloca((size_t)n * 16 + 1);
  volatile char variable[n % 13 + 1];
  p[0] = variable[0] = 1;
  walk();
  if (n > 0)
    with_room(n - 1);
  walk();
  sink = p[0] + variable[0];
}

static NOINLINE void
realigned(int n)
{
  volatile char room[64] __attribute__((aligned(64)));
  room[n & 63] = 1;
  walk();
  if (n > 0 && n % 3 == 0)
    with_room(3);
  if (n > 0)
    realigned(n - 1);
  walk();
  sink = room[n & 63];
}

static NOINLINE void
realigned_with_room(int n)
{
  volatile char aligned[128] __attribute__((aligned(128)));
  volatile char *p = __builtin_alloca((size_t)n + 1);
  aligned[0] = p[0] = 1;
  walk();
  if (n > 0)
    realigned_with_room(n - 1);
  walk();
  sink = aligned[0] + p[0];
}

TEST(test_odd_frames)
{
  for (int i = 0; i < 10; i++) {
    with_room(20);
    realigned(20);
    realigned_with_room(10);
  }
}

/* Keeps the frame pointer of its caller. */
static FRAMED void
walk_framed(void)
{
  walk();
  sink = 1;
}

/* Gives back where its frame of no fixed size ends. */
static NOINLINE uintptr_t
with_end(size_t room, bool walking)
{
  volatile char *const end = __builtin_alloca(room);
  end[0] = 1;
  if (walking) {
    walk();
    walk_framed();
  }
  sink = end[0];
  return (uintptr_t)end;
}

static NOINLINE uintptr_t
below_another(size_t room, bool walking)
{
  volatile char other[256];
  const uintptr_t end = with_end(room, walking);
  sink = other[room & 255];
  return end;
}

/* Two frames end at one place and begin at two, and all words of the first
 * one's callers are still there: only the frame pointer tells them apart, in
 * the register or where it was saved. */
TEST(test_other_beginning)
{
  const size_t room = 4096;
  const uintptr_t end = below_another(room, false);
  const size_t more = with_end(room, false) - end;
  uintptr_t (*volatile const ways[])(size_t, bool) = { below_another,
                                                       with_end };
  for (int i = 0; i < 6; i++)
    ways[i % 2](i % 2 == 0 ? room : room + more, true);
}

static jmp_buf target;

static NOINLINE void
jump_from(int n)
{
  walk();
  if (n == 0)
    longjmp(target, 1);
  if (n > 0)
    jump_from(n - 1);
  sink = n;
}

TEST(test_jumps)
{
  for (volatile int i = 0; i < 50; i++) {
    if (setjmp(target) == 0)
      jump_from(i % 20);
    walk();
    first(i);
  }
}

static void
handler(int number)
{
  (void)number;
  walk();
  recurse(10);
}

static NOINLINE void
raise_deep(int n)
{
  if (n > 0)
    raise_deep(n - 1);
  else
    raise(SIGUSR1);
  walk();
  sink = n;
}

/* Interrupted between any two instructions. */
static volatile sig_atomic_t ticks;

static void
tick(int number)
{
  (void)number;
  ticks++;
  walk();
}

static NOINLINE int
compute(int n)
{
  return n < 2 ? n : compute(n - 1) + compute(n - 2);
}

TEST(test_signals)
{
  static char stack[1 << 16];
  stack_t other = { .ss_sp = stack, .ss_size = sizeof stack }, none;
  struct sigaction action = { .sa_handler = handler };
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 30; i++)
    raise_deep(i);
  assert_int_equal(sigaltstack(&other, &none), 0);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 30; i++) {
    raise_deep(i);
    first(i);
  }
  signal(SIGUSR1, SIG_DFL);
  other.ss_flags = SS_DISABLE;
  sigaltstack(&other, NULL);
}

TEST(test_interruptions)
{
  struct sigaction action = { .sa_handler = tick };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                            .sigev_signo = SIGUSR1 };
  const struct itimerspec soon = { .it_value = { 0, 100000 } };
  sig_atomic_t last = -1;
  timer_t timer;
  sigaction(SIGUSR1, &action, NULL);
  assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  for (; ticks < 500; sink = compute(15))
    if (last != ticks) { /* else a slow computer would do nothing else */
      last = ticks;
      timer_settime(timer, 0, &soon, NULL);
    }
  timer_delete(timer);
  signal(SIGUSR1, SIG_DFL);
}

static ucontext_t contexts[4], home;
static char stacks[4][1 << 16];

static void
coroutine(int number)
{
  for (int i = 0; i < 20; i++) {
    first(i);
    recurse(i % 6);
    swapcontext(&contexts[number],
                i % 3 == 0 ? &home : &contexts[(number + 1) % 4]);
    walk();
  }
}

TEST(test_coroutines)
{
  for (volatile int i = 0; i < 4; i++) { /* getcontext may return twice */
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    contexts[i].uc_link = &home;
    makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
  }
  for (int i = 0; i < 24; i++) {
    swapcontext(&home, &contexts[i % 4]);
    walk();
    recurse(i);
  }
}

RUN_TESTS(NULL, NULL)
