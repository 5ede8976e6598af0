/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An active call has a frame further out than the frames of the present one,
 * in code of this library.  If the stack cannot be read that far, the call is
 * taken to be active. */
#include "c/count/nonlocal_exit.h"

#include "arch/arch.h"
#include "c/count/thread.h"
#include "code/frame_step.h"

enum { MANY_FRAMES = 1 << 16 };

extern const char __ehdr_start[] HIDDEN, etext[] HIDDEN;

static bool
is_own_code(uintptr_t ip)
{
  return ip - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

static bool
is_active(const uintptr_t *frame)
{
  struct stack_frame at = {
      .ip = frame[1], .sp = arch_frame_stack(frame), .pointer = frame[0]};
  bool asks = is_own_code(at.ip);
  for (int i = 0; i < MANY_FRAMES; i++) {
    struct stack_frame next;
    const enum frame_step s = frame_step(&at, &next);
    if (s > FRAME_STEP_SIGNAL)
      return s != FRAME_STEP_OUTERMOST;
    at = next;
    asks = asks && is_own_code(at.ip);
    if (!asks && is_own_code(at.ip))
      return true;
  }
  return true;
}

bool
nonlocal_exit_recover(const uintptr_t *frame)
{
  if (!own_process_known() || this_thread.forking || is_active(frame))
    return false;
  thread_abandon();
  this_thread.inside = 1;
  return true;
}
