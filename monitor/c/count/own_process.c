/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own_process.c -- see own_process.h. */
#include "c/count/own_process.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "image/signals.h"

union own_process own_process;

/* In this process, or in one that it is a copy of. */
static struct {
  bool begun, given_up;
  bool counting;                     /* as last asked for */
  bool (*begin_copy)(bool counting); /* NULL: no session has begun */
} ancestry = {.counting = true};

/* Begins, under the lock. */
static void
begin(void)
{
  if (!ancestry.begun)
    madvise(&own_process, sizeof own_process, MADV_WIPEONFORK);
  else if (!ancestry.given_up && ancestry.begin_copy != NULL)
    ancestry.given_up = !ancestry.begin_copy(ancestry.counting);
  ancestry.begun = true;
  own_process.counting = ancestry.counting && !ancestry.given_up;
  __atomic_store_n(&own_process.known, !ancestry.given_up, __ATOMIC_RELEASE);
}

bool
own_process_begin(void)
{
  const int saved = errno;
  struct signals_held signals;
  if (ancestry.given_up || spin_holds(&own_process.lock))
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
own_process_open(bool (*begin_copy)(bool counting))
{
  ancestry.begin_copy = begin_copy;
}

void
own_process_count(bool on)
{
  ancestry.counting = on;
  __atomic_store_n(&own_process.counting, on && own_process.known,
                   __ATOMIC_RELEASE);
}

void
own_process_give_up(void)
{
  ancestry.given_up = true;
  own_process.counting = false;
  __atomic_store_n(&own_process.known, false, __ATOMIC_RELEASE);
}
