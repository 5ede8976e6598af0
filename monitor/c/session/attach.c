/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attach.c -- the monitor in a program that runs already.  A debugger loads
 * the library, and calls these functions; nobody else does.
 *
 * Objects get no marks, since real_allocator.c has not measured any.  The
 * program may have stored the address of the real free, and may free any
 * object by that.  Such an end is seen when the address is given out again. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>

#include "c/count/monitor.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/interposed.h"
#include "c/interpose/real_allocator.h"
#include "c/session/session.h"
#include "code/file_symbols.h"
#include "image/image.h"

/* ---- what the debugger calls ---- */

EXPORT const char *mprof_attach(const char *settings);
EXPORT void mprof_detach(void);

/* Returns whether the program itself finds this function, and not only who
 * has loaded this library. */
static bool
is_part_of_program(void)
{
  this_thread.inside++;
  void *program = dlopen(NULL, RTLD_LAZY);
  const bool found =
      program != NULL && dlsym(program, "mprof_attach") != NULL;
  dlsym(RTLD_DEFAULT, "malloc"); /* leaves no error, see function_behind */
  this_thread.inside--;
  return found;
}

/* Returns whether malloc is the C library's: that of the first file that
 * defines it.  What dlsym finds may be the linkage table of a program that is
 * not position-independent. */
static bool
is_real_malloc(void)
{
  struct file_symbols symbols;
  const Elf64_Sym *found = NULL;
  for (const struct link_map *map = _r_debug.r_map;
       map != NULL && found == NULL; map = map->l_next)
    if (file_symbols_of(map->l_ld, &symbols))
      found = file_symbol(&symbols, "malloc", 0, NULL);
  return found != NULL &&
         symbols.base + found->st_value == (uintptr_t)real.malloc;
}

/* Begins, but where a debugger has loaded the library, and not the program:
 * then there is nothing to do before mprof_attach is called. */
static void __attribute__((constructor)) begin(void)
{
  if (!is_part_of_program() && !real.found && !real.bypassed) {
    /* the debugger may call malloc by its name */
    real_allocator_bypass(interposed_functions);
    session.awaits_attach = true;
  } else if (real_allocator_is_ours()) {
    session_begin();
  }
}

/* Leaves the program as if this had never come; the image stays as it is. */
static void
detach(void)
{
  session.attached = false;
  monitor_count(false);
  monitor_leave_image();
  rebind_symbols(interposed_functions, true);
  rebind_slots(interposed_functions, true);
  rebind_slots(process_event_functions, true);
  real_allocator_bypass(interposed_functions);
}

/* Returns whether the process that attached lives, and will detach. */
static bool
is_profiled(void)
{
  const pid_t by = (pid_t)environment_number("MPROF_BY", 0);
  return session.attached && by != 0 && (kill(by, 0) == 0 || errno == EPERM);
}

/* Begins to count.  `settings' are those of the environment, NAME=VALUE with
 * a newline behind each.  Returns NULL, or why it does not count. */
const char *
mprof_attach(const char *settings)
{
  if (!session.awaits_attach || is_profiled())
    return "it is already being profiled";
  if (!own_process_known() || arenas_are_sealed())
    return "it is the child of a profiled process, or it filters system "
           "calls";
  this_thread.inside++;
  if (session.attached)
    detach();
  const char *const why =
      !environment_replace(settings) ? strerrordesc_np(ENOMEM)
      : !is_real_malloc()            ? "its malloc is not the C library's"
                                     : NULL;
  if (why != NULL) {
    this_thread.inside--;
    return why;
  }
  session.attached = true;
  __atomic_store_n(&real.found, true, __ATOMIC_RELEASE);
  __atomic_store_n(&real.bypassed, false, __ATOMIC_RELEASE);
  process_image_set(environment_value("MPROF_OUT"));
  session_begin();
  monitor_open();
  rebind_symbols(interposed_functions, false);
  rebind_slots(interposed_functions, false);
  rebind_slots(process_event_functions, false);
  monitor_forget();
  if (!image_is_open())
    detach();
  this_thread.inside--;
  return session.attached ? NULL : "it cannot write its profile there";
}

/* Ends counting, unless the program filters its system calls by now. */
void
mprof_detach(void)
{
  if (session.attached && own_process_known() && !arenas_are_sealed())
    detach();
}
