/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * interruption.c -- see interruption.h.
 */
#include "malloc/session/interruption.h"

#include "malloc/count/malloc_monitor.h"
#include "tree/spin_lock.h"

void
interruption_begin(struct interruption *i)
{
  malloc_monitor_inside++;
  i->locked = spin_holds(&malloc_monitor.lock);
  stripes_interrupt(&i->stripes);
}

void
interruption_end(const struct interruption *i)
{
  stripes_resume(&i->stripes);
  malloc_monitor_inside--;
}

void
interruption_lock_all(const struct interruption *i)
{
  if (!i->locked)
    spin_lock(&malloc_monitor.lock);
  stripes_lock();
}

void
interruption_unlock_all(const struct interruption *i)
{
  stripes_unlock();
  if (!i->locked)
    spin_unlock(&malloc_monitor.lock);
}
