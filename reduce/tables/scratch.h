/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory of one of several pieces of work, such as a table of a report, which
 * goes before the next piece is begun.  Where the work fails, it goes with
 * the pool in use before.
 */

#pragma once

#include "base/pool.h"

struct scratch {
  struct pool pool;
  struct pool *outer; /* in use before */
};

static inline void
scratch_release(void *scratch)
{
  pool_release(&((struct scratch *)scratch)->pool);
}

/* Lets memory come from a new pool until scratch_end. */
static inline struct scratch *
scratch_begin(void)
{
  struct scratch *scratch = pool_zeroed(1, sizeof *scratch);
  pool_on_release(scratch_release, scratch);
  scratch->outer = pool_use(&scratch->pool);
  return scratch;
}

static inline void
scratch_end(struct scratch *scratch)
{
  pool_use(scratch->outer);
  pool_release_now(scratch);
  pool_free(scratch);
}
