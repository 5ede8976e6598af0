/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_frames.c -- which function the interpreter runs.
 *
 * Its frame has a record of the stack of functions that the interpreter runs
 * (IHS), at a distance from its end that is the same in all.  That is learnt
 * from the first one whose record is the newest of the thread.  The
 * interpreter calls itself without the linkage table, so not all frames have
 * the function in front of it behind them.
 */
#include "malloc/ecl/lisp_frames.h"

#include <stddef.h>

#include "malloc/count/call_chain.h"
#include "malloc/ecl/lisp_methods.h"
#include "malloc/ecl/lisp_runtime.h"
#include "malloc/interpose/interposed.h"
#include "tree/context_tree.h"

/* What a function here leaves in its frame. */
struct numbered_call {
  uintptr_t number;
  cl_object bytecodes; /* that are run */
};

enum { INTERPRETER, IN_FRONT, MODULE };

static __thread uintptr_t last_number
    __attribute__((tls_model("initial-exec")));
/* From the frame pointer to what is left there. */
static intptr_t
    call_offset[sizeof chain_notes.code / sizeof *chain_notes.code];
static intptr_t record_offset; /* below the end of the frame; 0: not known */

#define NUMBER_CALL(which, code)                                             \
  volatile struct numbered_call call = {++last_number, code};                \
  call_offset[which] = (intptr_t)&call - (intptr_t)__builtin_frame_address(0)

EXPORT cl_object
ecl_interpret(cl_object frame, cl_object env, cl_object bytecodes)
{
  cl_object result;
  NUMBER_CALL(IN_FRONT, bytecodes);
  if (__builtin_expect(lisp_runtime.interpret == NULL, 0))
    lisp_runtime_find();
  result = lisp_runtime.interpret(frame, env, bytecodes);
  call.number = 0;
  return result;
}

EXPORT cl_object
ecl_init_module(cl_object block, void (*entry)(cl_object))
{
  cl_object result;
  NUMBER_CALL(MODULE, OBJNULL);
  if (__builtin_expect(lisp_runtime.init_module == NULL, 0))
    lisp_runtime_find();
  result = lisp_runtime.init_module(block, entry);
  call.number = 0;
  return result;
}

/* ---- walks ---- */

static bool
is_in(uintptr_t ip, int which)
{
  return ip - chain_notes.code[which].start < chain_notes.code[which].bytes;
}

static const struct numbered_call *
call_in(const struct stack_frame *frame, int which)
{
  return (const struct numbered_call *)(frame->pointer +
                                        (uintptr_t)call_offset[which]);
}

/* Where an environment has its newest record. */
#if ECL_VERSION_NUMBER >= 240510
#define NEWEST_RECORD ihs_stack.top
#else
#define NEWEST_RECORD ihs_top
#endif

/* The newest record of this thread.  The environment is as that of an ECL
 * without hooks, which has one word less before it. */
static const struct ecl_ihs_frame *
newest_record(void)
{
  const char *const env = lisp_runtime.process_env();
  const size_t at = offsetof(struct cl_env_struct, NEWEST_RECORD) -
                    sizeof(struct ecl_allocation_hooks *);
  return env == NULL ? NULL
                     : *(const struct ecl_ihs_frame *const *)(env + at);
}

static void
find_record(const struct stack_frame *frame, uintptr_t end,
            const struct numbered_call *call)
{
  const struct ecl_ihs_frame *const r = newest_record();
  const uintptr_t at = (uintptr_t)r;
  if (at > frame->sp && at + sizeof *r < end &&
      r->function == call->bytecodes)
    record_offset = (intptr_t)(end - at);
}

static struct chain_note
note_interpreter(const struct stack_frame *frame, uintptr_t end,
                 const struct stack_frame *outer)
{
  struct chain_note note = {0};
  const struct ecl_ihs_frame *record;
  cl_object function;
  if (record_offset == 0 && is_in(outer->ip, IN_FRONT))
    find_record(frame, end, call_in(outer, IN_FRONT));
  if (record_offset == 0)
    return note;
  record = (const struct ecl_ihs_frame *)(end - (uintptr_t)record_offset);
  function = record->function;
  if (function == OBJNULL || ECL_IMMEDIATE(function) ||
      function->d.t != t_bytecodes)
    return note;
  note.word = (const uintptr_t *)&record->function;
  note.site = SITE_OBJECT | lisp_methods_number(function);
  return note;
}

static struct chain_note
note_of(const struct stack_frame *frame, uintptr_t end,
        const struct stack_frame *outer)
{
  struct chain_note note = {0};
  if (is_in(frame->ip, INTERPRETER))
    return note_interpreter(frame, end, outer);
  note.number =
      &call_in(frame, is_in(frame->ip, IN_FRONT) ? IN_FRONT : MODULE)->number;
  return note;
}

static void
set_code(int which, const void *code)
{
  chain_notes.code[which].start = (uintptr_t)code;
  chain_notes.code[which].bytes = lisp_runtime_symbol_bytes(code);
}

OWN(ecl_interpret);
OWN(ecl_init_module);

void
lisp_frames_open(void)
{
  set_code(INTERPRETER, (const void *)(uintptr_t)lisp_runtime.interpret);
  set_code(IN_FRONT, own_ecl_interpret);
  set_code(MODULE, own_ecl_init_module);
  chain_notes.of = note_of;
}
