/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_calls.c -- what the program's threads call while they are counted, as
 * Lisp functions.
 *
 * ECL's foreign function interface allocates 1,576 bytes in each thread that
 * calls it first, which would be charged to the program.
 *
 * Each function has one parameter: a list of one element, which it does not
 * change, or NIL where it needs none.
 */
#include "monitor.h"

#include <ecl/ecl.h>

#include "lisp/threads/threads.h"

/* Returns N to Lisp. */
static cl_object
number(unsigned long long n)
{
  ecl_return1(ecl_process_env(), ecl_make_unsigned_integer(n));
}

/* Returns the integer in the list. */
static uintptr_t
first(cl_object arguments)
{
  return (uintptr_t)ecl_fixnum(ECL_CONS_CAR(arguments));
}

static cl_object
stop(cl_object none)
{
  (void)none;
  return number((unsigned)mprof_monitor_stop());
}

static cl_object
counter(cl_object which)
{
  return number(mprof_monitor_counter((int)first(which)));
}

static cl_object
take_snapshot(cl_object before)
{
  return number((uintptr_t)mprof_monitor_snapshot((int)first(before)));
}

static cl_object
free_snapshot(cl_object snapshot)
{
  mprof_snapshot_free((void *)first(snapshot));
  return number(0);
}

/* ---- regions ----
 *
 * What a thread allocates in a region has a leaf of its own, for the kind of
 * a leaf has the region's number.  So when a thread enters or leaves one, all
 * that it knows of leaves is forgotten (some microseconds). */

/* Enters the region NAME, or that NUMBER (0: none), or leaves the innermost
 * one (-1).  A thread that was never counted is in no region.  Returns 0. */
static cl_object
change_region(const char *name, intptr_t region)
{
  struct thread_state *thread;
  monitor_lock();
  thread = threads_find(ecl_process_env_unsafe());
  if (thread != NULL) {
    const uint32_t before = thread->regions.region;
    if (name != NULL)
      region_enter(&monitor.regions, &thread->regions, name);
    else if (region >= 0)
      region_resume(&monitor.regions, &thread->regions, (uint32_t)region);
    else
      region_leave(&monitor.regions, &thread->regions, false);
    if (thread->regions.region != before)
      last_objects_forget(&thread->last_objects);
  }
  monitor_unlock();
  return number(0);
}

static cl_object
region_begin(cl_object name)
{
  return change_region((char *)ECL_CONS_CAR(name)->base_string.self, 0);
}

static cl_object
region_end(cl_object none)
{
  (void)none;
  return change_region(NULL, -1);
}

static cl_object
resume_region(cl_object region)
{
  return change_region(NULL, (intptr_t)first(region));
}

static cl_object
current_region(cl_object none)
{
  const struct thread_state *thread;
  (void)none;
  monitor_lock();
  thread = threads_find(ecl_process_env_unsafe());
  const uint32_t region = thread == NULL ? 0 : thread->regions.region;
  monitor_unlock();
  return number(region);
}

void *
mprof_monitor_functions(void)
{
  static cl_object (*const functions[])(cl_object) = {
      stop,         counter,    take_snapshot, free_snapshot,
      region_begin, region_end, resume_region, current_region};
  cl_object list = ECL_NIL;
  for (size_t i = sizeof functions / sizeof functions[0]; i-- > 0;)
    list = ecl_cons(
        ecl_make_cfun((cl_objectfn_fixed)functions[i], ECL_NIL, ECL_NIL, 1),
        list);
  return list;
}
