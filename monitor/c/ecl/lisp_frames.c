/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_frames.c -- which function the interpreter runs.
 *
 * Its frame has a record of the stack of functions that the interpreter runs
 * (IHS), at a distance from its end that is the same in all.  It is found
 * in the first one whose record is the newest of the thread.
 */
#include <stddef.h>

#include "c/count/call_chain.h"
#include "c/ecl/lisp_heap.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "c/interpose/interposed.h"
#include "lisp/names/lisp_printer.h"
#include "tree/context_tree.h"

enum { INTERPRETER, IN_FRONT, MODULE };

static __thread uintptr_t last_number
    __attribute__((tls_model("initial-exec")));
/* From the frame pointer to the number of the call there. */
static intptr_t
    number_offset[sizeof chain_notes.code / sizeof *chain_notes.code];
static intptr_t record_offset; /* below the end of the frame; 0: not known */

/* The rest of a function in front of `name', which leaves a number in its
 * frame while that runs. */
#define NUMBER_CALL(which, name, ...)                                        \
  volatile uintptr_t number = ++last_number;                                 \
  cl_object result;                                                          \
  number_offset[which] =                                                     \
      (intptr_t)&number - (intptr_t)__builtin_frame_address(0);              \
  result = REAL(name)(__VA_ARGS__);                                          \
  number = 0;                                                                \
  return result

EXPORT cl_object
ecl_interpret(cl_object frame, cl_object env, cl_object bytecodes)
{
  NUMBER_CALL(IN_FRONT, ecl_interpret, frame, env, bytecodes);
}

EXPORT cl_object
ecl_init_module(cl_object block, void (*entry)(cl_object))
{
  NUMBER_CALL(MODULE, ecl_init_module, block, entry);
}

/* ---- walks ---- */

static bool
is_in(uintptr_t ip, int which)
{
  return ip - chain_notes.code[which].start < chain_notes.code[which].bytes;
}

/* Where an environment has its newest record. */
#if ECL_VERSION_NUMBER >= 240510
#define NEWEST_RECORD ihs_stack.top
#else
#define NEWEST_RECORD ihs_top
#endif

/* Where the record is in the frame of the interpreter that ends at `end', if
 * it is the newest of the thread.  The environment is as that of an ECL
 * without hooks, which has one word less before it. */
static void
find_record(const struct stack_frame *frame, uintptr_t end)
{
  const char *const env = (const char *)(ecl_process_env)();
  const size_t at = offsetof(struct cl_env_struct, NEWEST_RECORD) -
                    sizeof(struct ecl_allocation_hooks *);
  const uintptr_t record = env == NULL ? 0 : *(const uintptr_t *)(env + at);
  if (record > frame->sp && record + sizeof(struct ecl_ihs_frame) < end)
    record_offset = (intptr_t)(end - record);
}

static struct chain_note
note_of(const struct stack_frame *frame, uintptr_t end)
{
  const int which = is_in(frame->ip, IN_FRONT) ? IN_FRONT : MODULE;
  struct chain_note note = {0};
  if (!is_in(frame->ip, INTERPRETER)) {
    note.number =
        (const uintptr_t *)(frame->pointer + (uintptr_t)number_offset[which]);
    return note;
  }
  if (record_offset == 0)
    find_record(frame, end);
  const struct ecl_ihs_frame *record =
      (const struct ecl_ihs_frame *)(end - (uintptr_t)record_offset);
  if (record_offset != 0 && lisp_is_of(record->function, t_bytecodes)) {
    note.word = (const uintptr_t *)&record->function;
    note.site = SITE_OBJECT | lisp_bytecodes_number(record->function);
  }
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
  set_code(INTERPRETER, (const void *)REAL(ecl_interpret));
  set_code(IN_FRONT, own_ecl_interpret);
  set_code(MODULE, own_ecl_init_module);
  chain_notes.of = note_of;
}
