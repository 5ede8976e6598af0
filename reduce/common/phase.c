/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The machine is a table of states by roles; roles go by the names of the
 * few functions through which ECL compiles, loads and evaluates.  Functions
 * of the compiler in general are no such names: PROCLAIM and others call
 * some while a file is loaded.
 */

#include "common/phase.h"

#include "common/system_functions.h"

#include <string.h>

const struct phase_text phase_texts[PHASE_COUNT + 1] = {
    [PHASE_COMPILE] = {"compile", "compile time"},
    [PHASE_LOAD] = {"load", "load time"},
    [PHASE_EVALUATION] = {"eval", "evaluation"},
    [PHASE_RUN] = {"run", "run time"},
};

static const struct {
  const char *name;
  enum phase_role role;
} known_functions[] = {
    {"COMPILE", ROLE_COMPILER},
    {"COMPILE-FILE", ROLE_COMPILER},
    {"EXT::BC-COMPILE", ROLE_COMPILER}, /* in place of these two, after */
    {"EXT::BC-COMPILE-FILE", ROLE_COMPILER}, /* INSTALL-BYTECODES-COMPILER */
    {"C::BUILDER", ROLE_COMPILER}, /* links libraries and programs */
    {"DISASSEMBLE", ROLE_COMPILER},
    {"LOAD", ROLE_LOADER},
    {"SI:LOAD-SOURCE", ROLE_LOADER},
    {"SI:LOAD-BINARY", ROLE_LOADER},
    {"SI:LOAD-BYTECODES", ROLE_LOADER},
    {"EVAL", ROLE_EVALUATOR},
    {"SI:EVAL-WITH-ENV", ROLE_EVALUATOR},
    {"EXT:SAFE-EVAL", ROLE_EVALUATOR},
    {"SI:MAKE-LAMBDA", ROLE_EVALUATOR}, /* COERCE to a function */
    {"(TOP-LEVEL-FORM)", ROLE_FORM},
    {"SI:TOP-LEVEL", ROLE_TOP_LEVEL},
    {"SI::TPL", ROLE_TOP_LEVEL}, /* of the debugger, too */
};

enum phase_role
phase_role_of(const char *name, const char *file, bool runtime)
{
  /* how the top level of a compiled file is called */
  static const char top_level[] = "(LOAD \"";
  if (runtime)
    return ROLE_NEUTRAL;
  for (size_t i = 0; i < sizeof known_functions / sizeof known_functions[0];
       i++)
    if (strcmp(known_functions[i].name, name) == 0)
      return known_functions[i].role;
  if (strncmp(name, top_level, sizeof top_level - 1) == 0)
    return ROLE_LOADER;
  /* such as [signal handler]: not a function */
  if (name[0] == '\0' || name[0] == '[' || is_system_function(name, file))
    return ROLE_NEUTRAL;
  return ROLE_PROGRAM;
}

enum phase_state
phase_next(enum phase_state state, enum phase_role role)
{
  enum {
    R = STATE_RUN,
    E = STATE_EVALUATOR,
    F = STATE_FORM,
    X = STATE_EXPANDER,
    L = STATE_LOAD,
    C = STATE_COMPILE
  };
  static const unsigned char next[STATE_COUNT][ROLE_COUNT] = {
      /* neutral, program, form, evaluator, loader, compiler, top level */
      [R] = {R, R, R, E, L, C, F}, [E] = {E, X, F, E, L, C, F},
      [F] = {F, R, F, E, L, C, F}, [X] = {X, X, X, X, L, C, F},
      [L] = {L, L, L, L, L, C, F}, [C] = {C, C, C, C, L, C, F}};
  return (enum phase_state)next[state][role];
}

enum phase
phase_of_state(enum phase_state state)
{
  return state == STATE_COMPILE ? PHASE_COMPILE
         : state == STATE_LOAD  ? PHASE_LOAD
         : state == STATE_RUN   ? PHASE_RUN
                                : PHASE_EVALUATION;
}

enum phase
phase_of_word(const char *text, size_t length)
{
  int phase = 0;
  while (phase < PHASE_COUNT &&
         (strlen(phase_texts[phase].word) != length ||
          memcmp(phase_texts[phase].word, text, length) != 0))
    phase++;
  return (enum phase)phase;
}
