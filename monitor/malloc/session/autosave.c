/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * autosave.c -- see autosave.h.
 */
#include "malloc/session/autosave.h"

#include <stdbool.h>

#include "malloc/count/malloc_monitor.h"
#include "malloc/count/own_stack.h"
#include "malloc/session/malloc_session.h"
#include "tree/image.h"

enum { FIRST_AUTOSAVE = 1 << 20 };

static uint64_t every;

void
autosave_expect(void)
{
  const uint64_t now = stripes_count();
  if (every == 0 || (every == AUTOSAVE_DOUBLED && image_is_open()))
    stripes.save_at = UINT64_MAX;
  else if (every == AUTOSAVE_DOUBLED)
    stripes.save_at = now < FIRST_AUTOSAVE ? FIRST_AUTOSAVE : 2 * now;
  else
    stripes.save_at = now + every;
  stripes_settle();
}

static void
save(void)
{
  malloc_session_save();
}

static void
save_if_none_did(void)
{
  bool still;
  stripes_lock();
  still = stripes_count() >= stripes.save_at;
  if (still)
    autosave_expect();
  stripes_unlock();
  if (still)
    own_stack_call(save);
}

void
autosave_set(uint64_t count)
{
  malloc_monitor.autosave = save_if_none_did;
  stripes_lock();
  every = count;
  autosave_expect();
  stripes_unlock();
}
