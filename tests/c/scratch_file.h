/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scratch_file.h -- a file for the tests of one program: the set-up and
 * tear-down of a group make and remove it.
 */
#pragma once

#include <stdlib.h>
#include <unistd.h>

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
