/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which texts are names of functions, and how many bytes have none. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attempting.h"
#include "graph_fixture.h"

static void
names(void **state)
{
  static const char *const named[] = {
      "MAPCAR",   "CL-USER::[X]",
      "(LAMBDA)", "(METHOD F ([A]))",
      "qsort",    "[",
      "SI::|0x|", "(TOP-LEVEL-FORM)",
      "x]",
  };
  static const char *const nameless[] = {
      "",          "[libfoo.so.1]",    "[]",     "[over the budget]",
      "[unknown]", "[signal handler]", "0x1000", "(OUT-OF-MEMORY)",
  };
  (void)state;
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
    if (!is_function_name(named[i]))
      fail_msg("%s", named[i]);
  for (size_t i = 0; i < sizeof nameless / sizeof nameless[0]; i++)
    if (is_function_name(nameless[i]))
      fail_msg("%s", nameless[i]);
}

/* 16 bytes each, so that the sums tell which chains are in them. */
static struct builder *
example_chains(void)
{
  struct builder *b = builder_new("lisp");
  builder_comment(b, "mprof.root=ROOT");
  builder_cons(b, "ROOT/RUN/F", 1);
  builder_cons(b, "ROOT/RUN/F/%cl_cons", 2);
  builder_cons(b, "ROOT/RUN/[libx.so]", 4);
  builder_cons(b, "ROOT/RUN/[libx.so]/%cl_cons", 8);
  builder_cons(b, "[signal handler]/F", 16);
  builder_cons(b, "%start_thread/%[libgc.so.1]", 32);
  builder_cons(b, "ROOT", 64);
  builder_activate(b, "ROOT/RUN/[libx.so]", 1);
  return b;
}

struct share {
  uint64_t leaf_bytes, chain_bytes;
};

static struct share
share_of_example(bool show_runtime)
{
  struct fixture f = {.options = {SELECT(FOCUS, "nothing"),
                                  SELECT(HIDE, "^F$"),
                                  .select.show_runtime = show_runtime}};
  add_file(&f, example_chains());
  reduce(&f);
  struct share share = {f.reduction.selection.nameless_leaf_bytes,
                        f.reduction.selection.nameless_chain_bytes};
  done(&f);
  return share;
}

static void
shares(void **state)
{
  struct share share = share_of_example(false);
  (void)state;
  assert_int_equal(share.leaf_bytes, 16 * (4 + 8 + 32 + 64));
  assert_int_equal(share.chain_bytes, 16 * (4 + 8 + 16 + 32 + 64));
}

/* With the runtime's functions there is less that is hidden, and some of them
 * have no name either. */
static void
shares_with_runtime(void **state)
{
  struct share share = share_of_example(true);
  (void)state;
  assert_int_equal(share.leaf_bytes, 16 * (4 + 32));
  assert_int_equal(share.chain_bytes, 16 * (4 + 8 + 16 + 32));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(shares),
      cmocka_unit_test(shares_with_runtime),
  };
  return RUN_IN_ATTEMPT(tests, NULL, NULL);
}
