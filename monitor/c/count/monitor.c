/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.c -- the life of the counters of a C program: the tree and
 * the image are made at the first allocation that is counted; figures are
 * forgotten, by this process or by who asks it to; the child of a fork begins
 * anew.  See monitor.h. */
#include "c/count/monitor.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "c/count/thread.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "code/frame_rule.h"
#include "image/image.h"
#include "image/image_file.h"
#include "image/signals.h"

/* Contexts, and leaves; with those over the budget they have LEAF_BITS. */
enum { USUAL_BUDGET = 8u << 20 };
_Static_assert(IMAGE_MOST_BUDGET ==
                   (1 << (LEAF_BITS - 1)) - CONTEXT_SPARE - 1,
               "the command refuses more");

/* Not initialized: `own' has to be in anonymous memory. */
struct monitor monitor;
__thread struct this_thread this_thread HIDDEN_THREAD;

/* ---- copies of the process ---- */

/* Begins the first process or a copy of it, under monitor.own.lock. */
static void
begin(void)
{
  if (!monitor.begun) {
    struct dl_find_object linker = {0};
    madvise(&monitor.own, sizeof monitor.own, MADV_WIPEONFORK);
    monitor.functions = (struct function_numbers){.table = SHARED_TABLE_EMPTY,
                                                  .most = FUNCTION_NUMBER};
    _dl_find_object((void *)_r_debug.r_ldbase, &linker);
    monitor.code.linker_start = (uintptr_t)linker.dlfo_map_start;
    monitor.code.linker_end = (uintptr_t)linker.dlfo_map_end;
  } else if (!monitor.given_up && monitor.begin_copy != NULL) {
    monitor.given_up = !monitor.begin_copy();
  }
  monitor.begun = true;
  monitor.process = getpid();
  monitor.own.counting = !monitor.stopped && !monitor.given_up;
  __atomic_store_n(&monitor.own.known, !monitor.given_up, __ATOMIC_RELEASE);
}

bool
own_process_begin(void)
{
  const int saved = errno;
  struct signals_held signals;
  if (monitor.given_up || spin_holds(&monitor.own.lock))
    return false;
  signals_hold(&signals);
  spin_lock(&monitor.own.lock);
  if (!monitor.own.known)
    begin();
  spin_unlock(&monitor.own.lock);
  signals_let_go(&signals);
  errno = saved;
  return monitor.own.known;
}

/* ---- the tree ---- */

/* Returns the function that a context is of: see context_tree.h.  Notes the
 * file that the site is in before anything is counted there. */
static uint32_t
function_of(uint64_t site, uint32_t caller)
{
  (void)caller;
  if ((site & (SITE_OBJECT | SITE_RETIRED | SITE_SPECIAL)) == 0)
    code_notes_add(site - 1);
  return function_number_of_site(&monitor.functions, site);
}

static bool
make_room(uint32_t leaves)
{
  return stripes_reserve(leaves, monitor.tree.most + 1);
}

#define TEXT_OF(number) TEXT_OF_TOKEN(number)
#define TEXT_OF_TOKEN(token) #token

/* Returns the budget that the environment has, or the usual one.  Says in a
 * line where that is too large. */
static uint32_t
find_budget(void)
{
  const unsigned long asked = environment_number("MPROF_BUDGET", 0);
  if (asked <= IMAGE_MOST_BUDGET)
    return asked == 0 ? USUAL_BUDGET : (uint32_t)asked;
  process_image_read_name();
  if (process_image.first)
    process_image_say("MPROF_BUDGET is too large for",
                      "the budget is " TEXT_OF(IMAGE_MOST_BUDGET));
  return IMAGE_MOST_BUDGET;
}

/* ---- the image ---- */

/* Makes the image, with what was counted before.  The program is noted at
 * once: later there may be no /proc.  Locks the stripes before the image is
 * there, or a thread could put its new stripe into it, which would then be in
 * it twice.  Returns 0 or an errno value. */
static int
make_image(void)
{
  stripes_lock();
  int error = process_image_open();
  if (error == 0) {
    code_notes_add(0);
    context_tree_map(&monitor.tree);
    region_table_map(&monitor.regions);
    stripes_map();
    error = image_opened();
  }
  stripes_unlock();
  if (error == 0)
    image_file_settle(true);
  return error;
}

/* Makes the image if one is awaited, and says so if that fails.  Tries again
 * without memory: the kernel may grant later what it refuses now.  Needs
 * the lock, and holds signals: a handler that jumped away would leave half an
 * image. */
static void
make_awaited_image(void)
{
  enum { TRIES = 3 };
  struct signals_held signals;
  int error = ENOMEM;
  if (!monitor.awaits_image || arenas_are_sealed())
    return;
  signals_hold(&signals);
  monitor.awaits_image = false;
  for (int i = 0; i < TRIES && error == ENOMEM; i++)
    error = make_image();
  if (error != 0)
    process_image_say("cannot write", error == EEXIST
                                          ? "it is not a regular file"
                                          : strerrordesc_np(error));
  signals_let_go(&signals);
}

/* Runs at the first allocation that is counted, which may come before any
 * constructor. */
bool
monitor_open_locked(void)
{
  const bool ready =
      monitor.tree.contexts != NULL ||
      context_tree_init(&monitor.tree, find_budget(),
                        environment_value("MPROF_UNFOLDED") == NULL,
                        function_of, make_room) == 0;
  if (ready)
    make_awaited_image();
  else if (!monitor.without_memory)
    process_image_say("cannot write", strerrordesc_np(ENOMEM));
  monitor.without_memory = !ready;
  __atomic_store_n(&monitor.ready, ready, __ATOMIC_RELEASE);
  return ready;
}

bool
monitor_open(void)
{
  spin_lock(&monitor.lock);
  const bool ready = monitor_open_locked();
  spin_unlock(&monitor.lock);
  return ready;
}

/* ---- all of it ---- */

void
monitor_lock(void)
{
  spin_lock(&monitor.lock);
  stripes_lock();
}

void
monitor_unlock(void)
{
  stripes_unlock();
  spin_unlock(&monitor.lock);
}

void
monitor_count(bool on)
{
  if (on && stripes.figures_since == 0)
    stripes.figures_since = nanoseconds(CLOCK_REALTIME);
  stripes.counting = on;
  monitor.stopped = !on;
  __atomic_store_n(&monitor.own.counting, on && monitor.own.known,
                   __ATOMIC_RELEASE);
}

/* Forgets all figures.  Changes `generation' before and afterwards, so that a
 * reader of the image sees that it changes. */
static void
clear(void)
{
  image_set_forgetting(true);
  stripes_next_generation();
  stripes.missed = 0;
  stripes.figures_since = nanoseconds(CLOCK_REALTIME);
  if (monitor.tree.contexts != NULL) {
    context_tree_clear(&monitor.tree);
    stripes_forget();
  }
  region_table_clear(&monitor.regions);
  image_set_forgetting(false);
}

void
monitor_leave_image(void)
{
  monitor_lock();
  if (image_leave()) {
    clear();
    monitor.awaits_image = true;
    __atomic_store_n(&monitor.ready, false, __ATOMIC_RELEASE);
  } else {
    monitor.given_up = true;
    monitor.own.counting = false;
    __atomic_store_n(&monitor.own.known, false, __ATOMIC_RELEASE);
  }
  monitor_unlock();
}

void
monitor_forget(void)
{
  monitor_lock();
  clear();
  monitor_unlock();
}

void
monitor_forked(void)
{
  monitor.lock.holder = monitor.threads.lock.holder = 0;
  monitor.functions.table.lock.holder = frame_rules.lock.holder = 0;
  code_objects_forked();
  if (!spin_holds(&monitor.code.lock))
    monitor.code.lock.holder = 0;
  context_tree_shorten(&monitor.tree);
  stripes_forked(monitor.tree.room[TREE_LEAVES] + 1);
  if (this_thread.record != NULL)
    stripes_join(&this_thread.record->user);
  stripes.counting = !monitor.stopped;
  clear();
  monitor.awaits_image = true;
  monitor.ready = false;
}
