/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test_malloc_call_chain.c -- each walk of a call chain, which knows the last
 * ones, is compared with what the compiler's unwinder finds from the
 * beginning: the same return addresses and stack pointers, to the end of the
 * stack.  When a path was known, the chain must be that which it was made
 * for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "tree/context_tree.h"
#include "malloc/count/call_chain.h"
#include "unwind/frame_rule.h"

#define NOINLINE __attribute__((noinline, noclone))
#define FRAMED                                                               \
  __attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))

static __thread struct call_chain chain;
static __thread bool ready;
static __thread unsigned long walks, known_frames, known_walks;

/* The frames that a path was made for, the outermost first. */
struct walked {
  size_t depth;
  struct call_frame *frames;
};

static __thread struct walked walked[PATHS];

/* ---- comparison ---- */

struct comparison {
  const struct call_frame *frames;
  size_t left; /* frames of the chain that are not yet found */
  bool started;
  bool differs;
};

static _Unwind_Reason_Code
compare_frame(struct _Unwind_Context *context, void *data)
{
  struct comparison *c = data;
  int interrupted = 0;
  const uintptr_t ip = _Unwind_GetIPInfo(context, &interrupted);
  const uintptr_t sp = _Unwind_GetCFA(context);
  const struct call_frame *f;
  if (!c->started) {
    f = &c->frames[c->left - 1];
    if (ip != f->at.ip || sp != f->at.sp)
      return _URC_NO_REASON;
    c->started = true;
  }
  if (c->left == 0) { /* the outermost function has a caller at 0 */
    c->differs = ip != 0;
    return c->differs ? _URC_NORMAL_STOP : _URC_NO_REASON;
  }
  f = &c->frames[--c->left];
  c->differs = f->at.ip != ip || f->at.sp != sp ||
               f->at.interrupted != (interrupted != 0);
  return c->differs ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/* The chain was walked. */
static void
remember(struct walked *w)
{
  w->depth = chain.depth - 1;
  w->frames = realloc(w->frames, w->depth * sizeof *w->frames);
  assert_non_null(w->frames);
  memcpy(w->frames, chain.frames + 1, w->depth * sizeof *w->frames);
}

static void
forget_all(void)
{
  for (size_t i = 0; i < PATHS; i++) {
    free(walked[i].frames);
    walked[i] = (struct walked){ 0 };
  }
  arena_release(&chain.arena);
  memset(&chain, 0, sizeof chain);
  ready = false;
}

/* Walk from the call of this function, and compare. */
static FRAMED void
walk(void)
{
  const uintptr_t *frame = __builtin_frame_address(0);
  const uintptr_t sp = (uintptr_t)(frame + 2);
  struct comparison c = { 0 };
  struct known_path *path;
  const struct walked *w;
  if (!ready) {
    assert_int_equal(call_chain_init(&chain), 0);
    ready = true;
  }
  path = call_chain_find(&chain, frame[1], sp, frame[0]);
  if (path == NULL) {
    const uint64_t serial = chain.serial;
    path = call_chain_walk(&chain, frame[1], sp, frame[0]);
    for (size_t i = 1; i < chain.depth; i++)
      known_frames += chain.frames[i].serial <= serial;
    remember(&walked[path - chain.paths]);
    call_chain_know(&chain, path);
  } else {
    known_frames += walked[path - chain.paths].depth;
    known_walks++;
  }
  w = &walked[path - chain.paths];
  c.frames = w->frames;
  c.left = w->depth;
  _Unwind_Backtrace(compare_frame, &c);
  assert_true(c.started);
  assert_false(c.differs);
  assert_int_equal(c.left, 0);
  assert_true(path->complete);
  walks++;
}

static volatile int sink;

/* ---- programs ---- */

static NOINLINE void
recurse(int n)
{
  if (n % 7 == 0)
    walk();
  if (n > 0)
    recurse(n - 1);
  if (n % 5 == 0)
    walk();
  sink = n;
}

static void
test_recursion(void **state)
{
  (void)state;
  for (int i = 0; i < 5; i++)
    recurse(100);
  walks = known_frames = 0;
  recurse(2000);
  assert_true(known_frames > walks * 100); /* it is known what was walked */
}

/* Two functions with frames of one size, called from one place by a pointer;
 * and one function, called from two places at one depth. */
static NOINLINE void
first(int n)
{
  volatile int room[4] = { n, n, n, n };
  walk();
  sink = room[n & 3];
}

static NOINLINE void
second(int n)
{
  volatile int room[4] = { n, n, n, n };
  walk();
  walk();
  sink = room[n & 3];
}

static NOINLINE void
between(void (*function)(int), int n)
{
  if (n % 2 == 0)
    function(n);
  else
    function(n + 1);
  sink = n;
}

static void
test_alternating(void **state)
{
  (void)state;
  for (int i = 0; i < 200; i++) {
    between(i % 3 == 0 ? first : second, i);
    if (i % 4 == 0)
      first(i);
  }
}

/* Paths that begin alike and part further out, in turns: eight callers in
 * each of three levels, whose frames are of one size. */
typedef void level(int);

#define CALLER(n)                                                            \
  static NOINLINE void caller##n(int path)                                   \
  {                                                                          \
    pass(path);                                                              \
    sink = n;                                                                \
  }

static NOINLINE void pass(int path);
CALLER(0)
CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
CALLER(7)

static NOINLINE void
pass(int path)
{
  static level *const callers[] = { caller0, caller1, caller2, caller3,
                                    caller4, caller5, caller6, caller7 };
  if (path == 1)
    walk();
  else
    callers[path & 7](path >> 3);
  sink = path;
}

static void
test_turns(void **state)
{
  (void)state;
  forget_all();
  known_walks = 0;
  for (int i = 0; i < 4000; i++)
    pass(1 << 9 | i * 167 % 64);
  assert_true(known_walks > 3000);
  for (int i = 0; i < 4000; i++)
    pass(1 << 9 | i * 167 % 512);
}

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

static void
test_stale_words(void **state)
{
  (void)state;
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

static void
test_callbacks(void **state)
{
  int numbers[100];
  (void)state;
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

static void
test_odd_frames(void **state)
{
  (void)state;
  for (int i = 0; i < 10; i++) {
    with_room(20);
    realigned(20);
    realigned_with_room(10);
  }
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

static void
test_jumps(void **state)
{
  (void)state;
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

static void
test_signals(void **state)
{
  static char stack[1 << 16];
  stack_t other = { .ss_sp = stack, .ss_size = sizeof stack }, none;
  struct sigaction action = { .sa_handler = handler };
  (void)state;
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

static void
test_interruptions(void **state)
{
  struct sigaction action = { .sa_handler = tick };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                            .sigev_signo = SIGUSR1 };
  struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
  timer_t timer;
  (void)state;
  sigaction(SIGUSR1, &action, NULL);
  assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  timer_settime(timer, 0, &often, NULL);
  while (ticks < 500)
    sink = compute(15);
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

static void
test_coroutines(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
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

static void *
in_thread(void *data)
{
  recurse(50);
  test_odd_frames(NULL);
  test_callbacks(NULL);
  forget_all();
  return data;
}

static void
test_threads(void **state)
{
  pthread_t threads[4];
  (void)state;
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, in_thread, NULL), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

/* From a call that is not known to one that is. */
static void
test_forgotten(void **state)
{
  (void)state;
  for (int i = 0; i < 20; i++) {
    recurse(20);
    if (i % 2 == 0)
      call_chain_forget(&chain);
    known_walks = known_frames = 0;
    walk();
    assert_true(i % 2 != 0 || (known_walks == 0 && known_frames == 0));
  }
}

/* Code without call-frame information that has no frame pointer: what was
 * read is an address of nothing, and looks like a special site. */
static void
test_no_return_address(void **state)
{
  static const uint64_t words[] = { UINT64_C(0x6b21f53fa3a51500),
                                    SITE_RETIRED, SITE_SPECIAL,
                                    UINT64_C(1) << 56 };
  uintptr_t stack[4] = { 0 };
  (void)state;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const struct known_path *path;
    call_chain_forget(&chain);
    stack[3] = words[i];
    path = call_chain_walk(&chain, (uintptr_t)&sink, (uintptr_t)stack,
                           (uintptr_t)&stack[2]);
    assert_false(path->complete);
    assert_int_equal(chain.depth, 2);
  }
  call_chain_forget(&chain);
}

/* ---- rules ---- */

static void
test_rules(void **state)
{
  const uintptr_t here = (uintptr_t)recurse;
  struct frame_rule rule = frame_rule_at(here);
  (void)state;
  /* at the first instruction */
  assert_int_equal(rule.base, FRAME_FROM_STACK);
  assert_int_equal(rule.offset, 8);
  assert_int_equal(rule.saved, 0);
  assert_int_equal(frame_rule_function(here), here);
  assert_int_equal(frame_rule_function(here + 1), here);
  assert_int_equal(frame_rule_at(0).base, FRAME_UNKNOWN);
  assert_int_equal(frame_rule_function(0), 0);
  assert_int_equal(frame_rule_at((uintptr_t)&sink).base, FRAME_UNKNOWN);
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rules),
    cmocka_unit_test(test_recursion),
    cmocka_unit_test(test_alternating),
    cmocka_unit_test(test_turns),
    cmocka_unit_test(test_stale_words),
    cmocka_unit_test(test_callbacks),
    cmocka_unit_test(test_odd_frames),
    cmocka_unit_test(test_jumps),
    cmocka_unit_test(test_signals),
    cmocka_unit_test(test_interruptions),
    cmocka_unit_test(test_coroutines),
    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_forgotten),
    cmocka_unit_test(test_no_return_address),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
