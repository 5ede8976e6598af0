/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/interpose/real_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "c/count/monitor.h"
#include "c/environment.h"
#include "c/interpose/interposed.h"

struct real_allocator real;

/* Children of a program may have another C library, musl, where this is not
 * found, nor is what the makefile calls gnu_only. */
#pragma weak gnu_get_libc_version

/* Nor has it the function that the compiler's unwinder needs, which is linked
 * into the library that is preloaded: the linker has that call this one
 * instead (malloc_link of the makefile, --wrap). */
extern int __real__dl_find_object(void *address,
                                  struct dl_find_object *object)
    __attribute__((weak));
HIDDEN int __wrap__dl_find_object(void *address,
                                  struct dl_find_object *object);

int
__wrap__dl_find_object(void *address, struct dl_find_object *object)
{
  return __real__dl_find_object != NULL
             ? __real__dl_find_object(address, object)
             : -1;
}

/* ---- what is behind ---- */

static void *
function_behind(const char *name)
{
  bypass *behind;
  if (!__atomic_load_n(&real.sought, __ATOMIC_ACQUIRE)) {
    /* That there is none is not the program's affair: the error goes with
     * the next call of dlsym, for `name'.  dlerror would translate it, and
     * wait for the lock with which setlocale may be allocating. */
    real.monitor = dlsym(RTLD_NEXT, "mprof_bypass");
    __atomic_store_n(&real.sought, true, __ATOMIC_RELEASE);
  }
  memcpy(&behind, &real.monitor, sizeof behind);
  return behind != NULL ? behind(name) : dlsym(RTLD_NEXT, name);
}

/* Casts between a function and an object pointer, which POSIX allows. */
void
real_function(void *function, const char *name)
{
  const int saved = errno;
  this_thread.inside++;
  void *found = function_behind(name);
  this_thread.inside--;
  errno = saved;
  memcpy(function, &found, sizeof found);
}

static void
find_functions(const struct interposed_function *functions)
{
  static const char message[] =
      "mprof: libmprof-malloc.so finds no malloc; load it with LD_PRELOAD "
      "into a dynamically linked program\n";
  for (const struct interposed_function *f = functions; f->real != NULL; f++)
    real_function(f->real, f->name);
  real_function(&real.dlclose, "dlclose");
  real_function(&real._exit, "_exit");
  if (real.malloc == NULL) {
    const long status[6] = {127};
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    arch_system_call(SYS_exit_group, status); /* _exit is mprof's, too */
  }
}

void
real_allocator_bypass(const struct interposed_function *functions)
{
  monitor_count(false);
  if (!real.found)
    find_functions(functions);
  __atomic_store_n(&real.bypassed, true, __ATOMIC_RELEASE);
  __atomic_store_n(&real.found, false, __ATOMIC_RELEASE);
}

static void
find_under_lock(const struct interposed_function *functions)
{
  spin_lock(&real.lock);
  if (real.found || real.bypassed) {
    /* by another thread */
  } else if (process_selection_includes_this()) {
    find_functions(functions);
    /* libraries may find one that the program has in front of this one, and
       that leans on the real one */
    if (dlsym(RTLD_DEFAULT, functions->name) == functions->own)
      rebind_symbols(functions);
    __atomic_store_n(&real.found, true, __ATOMIC_RELEASE);
  } else {
    real_allocator_bypass(functions);
  }
  spin_unlock(&real.lock);
}

bool
real_allocator_find(const struct interposed_function *functions)
{
  if (this_thread.seeking || real_allocator_bypassed())
    return false;
  this_thread.seeking = true;
  if (gnu_get_libc_version == NULL) /* locks are for that, too */
    real_allocator_bypass(functions);
  else
    find_under_lock(functions);
  this_thread.seeking = false;
  return real.found;
}

/* ---- early memory ---- */

/* Stores the size before a block; signal handlers may interrupt it. */
void *
early_allocate(size_t alignment, size_t bytes)
{
  uintptr_t at = (uintptr_t)real.early;
  if (alignment < EARLY_ALIGNMENT)
    alignment = EARLY_ALIGNMENT;
  if (bytes < EARLY_BYTES && alignment < EARLY_BYTES) {
    const size_t most = alignment + sizeof bytes + bytes;
    const size_t begin =
        __atomic_fetch_add(&real.early_used, most, __ATOMIC_RELAXED);
    if (begin + most <= EARLY_BYTES) {
      at = (at + begin + sizeof bytes + alignment - 1) & ~(alignment - 1);
      ((size_t *)at)[-1] = bytes;
      return (void *)at;
    }
  }
  errno = ENOMEM;
  return NULL;
}

size_t
early_size(const void *address)
{
  return ((const size_t *)address)[-1];
}
