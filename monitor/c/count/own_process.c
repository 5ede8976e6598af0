/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own_process.c -- see own_process.h.
 */
#include "c/count/own_process.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "c/count/monitor.h"
#include "image/signals.h"

union own_process own_process;
bool (*own_process_begin_copy)(void);

static bool begun;    /* in this process, or in one that it is a copy of */
static bool given_up; /* likewise */

/* Begins, under the lock. */
static void
begin(void)
{
  if (!begun)
    madvise(&own_process, sizeof own_process, MADV_WIPEONFORK);
  else if (!given_up && own_process_begin_copy != NULL)
    given_up = !own_process_begin_copy();
  begun = true;
  own_process.counting = malloc_monitor.counting && !given_up;
  __atomic_store_n(&own_process.known, !given_up, __ATOMIC_RELEASE);
}

bool
own_process_begin(void)
{
  const int saved = errno;
  struct signals_held signals;
  if (given_up || spin_holds(&own_process.lock))
    return false;
  signals_hold(&signals);
  spin_lock(&own_process.lock);
  if (!own_process.known)
    begin();
  spin_unlock(&own_process.lock);
  signals_let_go(&signals);
  errno = saved;
  return own_process.known;
}

void
own_process_forked(void)
{
  memset(&own_process, 0, sizeof own_process);
}

void
own_process_give_up(void)
{
  given_up = true;
  own_process.counting = false;
  __atomic_store_n(&own_process.known, false, __ATOMIC_RELEASE);
}
