/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scratch_file.h -- a file for the tests of one program, which make_scratch and
 * remove_scratch make and remove.  And of very many cases each EVERY-th alone
 * is tried, where the environment has that: with sanitizers, which take their
 * time.
 */
#pragma once

#include "testing.h"

static char scratch[] = "/tmp/mprof-test-XXXXXX";

static int
make_scratch(void **state)
{
  (void)state;
  int descriptor = mkstemp(scratch);
  return descriptor < 0 ? -1 : close(descriptor);
}

static int
remove_scratch(void **state)
{
  (void)state;
  return unlink(scratch);
}

/* Whether the next case is left out. */
static inline bool
left_out(void)
{
  static unsigned long number;
  const char *every = getenv("EVERY");
  unsigned long step = every == NULL ? 0 : strtoul(every, NULL, 10);
  return step > 1 && number++ % step != 0;
}
