/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The distribution's ECL is asked between two forms that it evaluates: each
 * object of Lisp is there, by its function and type.
 */

#include "control_fixture.h"

static char *const ecl[] = {(char *)"/usr/bin/ecl", (char *)"--norc",
                            (char *)"--eval", (char *)"(loop (eval (read)))",
                            NULL};

/* Has it evaluate FORM, and waits until it has. */
static void
evaluate(const char *form)
{
  static const char end[] = "(progn (princ :done) (finish-output))\n";
  char text[4] = "";
  size_t used = 0;
  assert_int_equal(write(orders, form, strlen(form)), strlen(form));
  assert_int_equal(write(orders, end, sizeof end - 1), sizeof end - 1);
  while (used < sizeof text) {
    ssize_t n = read(answers, text + used, sizeof text - used);
    assert_true(n > 0);
    used += (size_t)n;
  }
  assert_memory_equal(text, "DONE", sizeof text);
}

static bool
is_function(const struct profile *p, uint32_t location, const char *name)
{
  const struct profile_location *l = &p->locations[location];
  for (uint32_t i = 0; i < l->line_count; i++) {
    const uint32_t f = p->lines[l->first_line + i].function;
    if (f != INDEX_NONE &&
        strcmp(names_text(&p->names, p->functions[f].name), name) == 0)
      return true;
  }
  return false;
}

/* Objects of TYPE that were allocated below the function NAME. */
static uint64_t
count_below(const struct profile *p, const char *name, const char *type)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < p->sample_count; i++) {
    uint32_t node = p->samples[i].node;
    const struct profile_labels *labels = &p->labels[p->samples[i].labels];
    if (strcmp(names_text(&p->names, labels->type), type) != 0)
      continue;
    while (node != TREE_ROOT &&
           !is_function(p, p->tree.nodes[node].item, name))
      node = p->tree.nodes[node].parent;
    if (node != TREE_ROOT)
      sum += profile_value(p, i, MEASURE_ALLOCS);
  }
  return sum;
}

static uint64_t
conses(void)
{
  struct profile profile;
  read_profile(&profile);
  uint64_t count = count_below(&profile, "CL-USER::CONSER", "CONS");
  return count;
}

static int
set_up(void **state)
{
  return open_control(state);
}

static int
tear_down(void **state)
{
  (void)state;
  control_close(&control);
  return 0;
}

static void
test_conses(void **state)
{
  (void)state;
  if (access(ecl[0], X_OK) != 0)
    skip();
  start_program(ecl, true);
  evaluate("(defun conser (n) (let (l) (dotimes (i n) (push i l)) l))");
  assert_int_equal(conses(), 0);
  evaluate("(conser 0)");
  uint64_t call = conses(); /* of the interpreter for itself */
  evaluate("(conser 1000)");
  assert_int_equal(conses(), 2 * call + 1000);
  evaluate("(conser 1)");
  assert_int_equal(conses(), 3 * call + 1001);
  ask(REQUEST_STOP);
  evaluate("(conser 10)");
  assert_int_equal(conses(), 3 * call + 1001);
  ask(REQUEST_START);
  evaluate("(conser 10)");
  assert_int_equal(conses(), 4 * call + 1011);
  ask(REQUEST_RESET);
  assert_int_equal(conses(), 0);
  evaluate("(conser 10)");
  assert_int_equal(conses(), call + 10);
  evaluate("(progn (conser 100000) (gc t) (conser 7))");
  assert_int_equal(conses(), 3 * call + 100017);
  end_program();
  check_refused("cannot query the program: it has ended");
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_conses, set_up, tear_down),
  };
  return RUN_IN_ATTEMPT(tests, make_folder, remove_folder);
}
