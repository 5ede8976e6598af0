/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* In which phase of a program's life something was allocated: while it was
 * compiled, loaded, evaluated, or run.  A phase is a property of a chain.  It
 * is found on the way from the root to the leaf, by a small machine that
 * starts at run time and looks at each function:
 *
 *   COMPILE, COMPILE-FILE, ...     compile time from here on
 *   LOAD, the top level of a file  load time from here on
 *   EVAL                           at run time: evaluation; else no change
 *   the form that EVAL runs        no change, but see the next line
 *   a function of the program      called by that form: run time again
 *   SI:TOP-LEVEL (the REPL)        evaluation, whatever started it
 *
 * So the innermost of compiling and loading counts, and evaluation within
 * them is theirs.  What the evaluator runs before the form itself, such as
 * macro functions and all they call, is evaluation.  ECL's own functions
 * change nothing.  The machine is pure: the monitor uses it inside the hook.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>

enum phase {
  PHASE_COMPILE,
  PHASE_LOAD,
  PHASE_EVALUATION,
  PHASE_RUN,
  PHASE_COUNT
};

/* Where the machine is; a chain starts in STATE_RUN. */
enum phase_state {
  STATE_RUN,
  STATE_EVALUATOR, /* EVAL was the last that mattered */
  STATE_FORM,      /* the form that EVAL runs was */
  STATE_EXPANDER,  /* below a function that EVAL called itself */
  STATE_LOAD,
  STATE_COMPILE,
  STATE_COUNT
};

/* What a function means to the machine. */
enum phase_role {
  ROLE_NEUTRAL,
  ROLE_PROGRAM,   /* a function of the program's own */
  ROLE_FORM,      /* a form that is evaluated, not a function */
  ROLE_EVALUATOR, /* EVAL, and what does the same */
  ROLE_LOADER,
  ROLE_COMPILER,
  ROLE_TOP_LEVEL,
  ROLE_COUNT
};

/* Returns the role of the function that is called NAME in profiles and is
 * from the source FILE ("" when not known); RUNTIME when it is a C function
 * of the runtime. */
enum phase_role phase_role_of(const char *name, const char *file,
                              bool runtime);

/* Returns the state below a function with this role called in STATE. */
enum phase_state phase_next(enum phase_state state, enum phase_role role);

/* Returns the phase of what is allocated in STATE. */
enum phase phase_of_state(enum phase_state state);

/* The names of phases, by enum phase; the last element is all NULL. */
struct phase_text {
  const char *word;  /* as options take it and exports give it: "compile" */
  const char *title; /* in tables: "compile time" */
};
extern const struct phase_text phase_texts[PHASE_COUNT + 1];

/* Returns the phase whose word the first LENGTH bytes of TEXT are;
 * PHASE_COUNT when there is none. */
enum phase phase_of_word(const char *text, size_t length);
