/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * session_locks.c -- see session_locks.h.
 */
#include "malloc/session/session_locks.h"

void
session_lock_begin(struct interruption *i, bool all)
{
  malloc_monitor_inside++;
  i->locked = spin_holds(&malloc_monitor.lock);
  i->steady = !all || spin_holds(&malloc_monitor.steady);
  stripes_interrupt(&i->stripes, &malloc_monitor.tree);
}

void
session_lock_end(const struct interruption *i)
{
  stripes_resume(&i->stripes);
  malloc_monitor_inside--;
}

void
session_lock(const struct interruption *i)
{
  if (!i->steady)
    spin_lock(&malloc_monitor.steady);
  if (!i->locked)
    spin_lock(&malloc_monitor.lock);
  stripes_lock();
}

void
session_unlock(const struct interruption *i)
{
  stripes_unlock();
  if (!i->locked)
    spin_unlock(&malloc_monitor.lock);
  if (!i->steady)
    spin_unlock(&malloc_monitor.steady);
}
