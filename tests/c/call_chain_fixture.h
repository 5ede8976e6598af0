/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_chain_fixture.h -- each walk of a call chain, which knows the last
 * ones, is compared with what the compiler's unwinder finds from the
 * beginning: the same return addresses and stack pointers, to the end of the
 * stack.  When a path was known, the chain must be that which it was made
 * for.
 */
#pragma once

#include <unwind.h>

#include "testing.h"

#include "arch/arch.h"
#include "c/count/call_chain.h"

#ifdef __clang__ /* a function that asks for its frame has one */
#define NOINLINE __attribute__((noinline))
#define FRAMED NOINLINE
#else
#define NOINLINE __attribute__((noinline, noclone))
#define FRAMED                                                               \
  __attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))
#endif

static __thread struct call_chain chain;
static __thread bool ready;
static __thread unsigned long walks, known_frames, known_walks;

/* The frames that a path was made for, the outermost first. */
struct walked {
  size_t depth;
  struct call_frame *frames;
};

static __thread struct walked walked[PATHS];

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
  /* on AArch64 the unwinder takes the kernel's record of what a signal
     interrupted for its stack pointer */
  c->differs = f->at.ip != ip || f->at.interrupted != (interrupted != 0) ||
               (f->at.sp != sp && (ARCH_FRAME_IS_AT_TOP || !interrupted));
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

/* Walk from the call of this function, and compare. */
static FRAMED void
walk(void)
{
  const uintptr_t *frame = ARCH_FRAME;
  const uintptr_t sp = arch_frame_stack(frame);
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
    path->ip = chain.frames[chain.depth - 1].at.ip;
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
  assert_true(chain.complete);
  walks++;
}

static volatile int sink;

/* Functions to walk from. */

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

static NOINLINE void
first(int n)
{
  volatile int room[4] = { n, n, n, n };
  walk();
  sink = room[n & 3];
}
