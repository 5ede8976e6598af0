/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * unloaded_code.c -- code of a C program that goes away, so that its call
 * sites are retired before its addresses are used again.
 *
 * Model.  Each check compares the code that is loaded with the code that was
 * loaded at the last check.  Libraries come and go by dlopen and dlclose, and
 * also without: the C library unloads modules of its own (iconv, locales).
 * But the dynamic linker allocates after it has unloaded one and before it
 * maps another, and once more when that is in its list.  So a check at each
 * of its allocations misses none; none of them is a known path.
 *
 * Takes the linker's lock, and then the monitor's, which this thread does not
 * hold.  Runs inside the hook. */
#include "c/count/monitor.h"

#include <errno.h>

#include "code/code_objects.h"
#include "image/arena.h"
#include "image/signals.h"

static void
retire(const struct code_object *gone)
{
  monitor_lock();
  struct code_object retired = code_notes_retire(gone, &monitor.functions);
  if (monitor.tree.contexts != NULL) {
    stripes_next_generation(); /* before and afterwards: see monitor.c */
    context_tree_rename_sites(&monitor.tree, code_object_retired_site,
                              &retired);
    stripes_next_generation();
  }
  monitor_unlock();
}

/* Holds signals: while the thread has the linker's lock it may not be
 * cancelled, nor may a handler jump away. */
void
unloaded_code_check(void)
{
  const int saved = errno;
  struct signals_held signals;
  if (!own_process_known() || spin_holds(&monitor.code.lock) ||
      arenas_are_sealed())
    return;
  signals_hold(&signals);
  spin_lock(&monitor.code.lock);
  code_objects_check(retire);
  spin_unlock(&monitor.code.lock);
  signals_let_go(&signals);
  errno = saved;
}
