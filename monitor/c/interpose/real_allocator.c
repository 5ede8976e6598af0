/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/interpose/real_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "c/count/monitor.h"
#include "c/environment.h"
#include "c/interpose/object_mark.h"
#include "code/file_symbols.h"

static size_t
measure_nothing(void *object)
{
  (void)object;
  return 0;
}

struct real_allocator real = {.measure = measure_nothing};

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

/* Returns mprof_bypass of the monitor behind this one, or NULL.  Reads the
 * tables of the files, since dlsym allocates where it finds nothing. */
static void *
monitor_behind(void)
{
  struct dl_find_object own;
  struct file_symbols file;
  const Elf64_Sym *found = NULL;
  if (_dl_find_object((void *)monitor_behind, &own) != 0)
    return NULL;
  for (const struct link_map *map = own.dlfo_link_map->l_next;
       map != NULL && found == NULL; map = map->l_next)
    if (file_symbols_of(map->l_ld, &file))
      found = file_symbol(&file, "mprof_bypass", 0, NULL);
  return found == NULL ? NULL : (void *)(file.base + found->st_value);
}

static void *
function_behind(const char *name)
{
  bypass *behind;
  if (!__atomic_load_n(&real.sought, __ATOMIC_ACQUIRE)) {
    real.monitor = monitor_behind();
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

bool
real_is_of(const void *address)
{
  struct dl_find_object object, allocator;
  return gnu_get_libc_version != NULL &&
         _dl_find_object((void *)address, &object) == 0 &&
         _dl_find_object((void *)real.malloc, &allocator) == 0 &&
         object.dlfo_link_map == allocator.dlfo_link_map;
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
  if (real.malloc == NULL)
    find_functions(functions);
  __atomic_store_n(&real.bypassed, true, __ATOMIC_RELEASE);
  __atomic_store_n(&real.found, false, __ATOMIC_RELEASE);
}

/* Returns whether a sanitizer or valgrind takes the place of malloc here,
 * while this library is preloaded: behind it they would judge wrongly.  The
 * program may have no environment yet. */
static bool
stands_aside(void)
{
  static const char *const others[] = {
      "/libasan.so",         "/libhwasan.so",         "/liblsan.so",
      "/libtsan.so",         "/libclang_rt.asan",     "/libclang_rt.hwasan",
      "/libclang_rt.tsan",   "/vgpreload_",
  };
  struct dl_find_object own;
  if (_dl_find_object((void *)stands_aside, &own) != 0 ||
      own.dlfo_link_map == _r_debug.r_map)
    return false;
  for (const struct link_map *map = _r_debug.r_map; map != NULL;
       map = map->l_next)
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
      if (strstr(map->l_name, others[i]) != NULL)
        return true;
  return false;
}

/* Lets AddressSanitizer be behind this library. */
EXPORT const char *__asan_default_options(void) __attribute__((weak));
const char *
__asan_default_options(void)
{
  return "verify_asan_link_order=0";
}

/* Sets real.measure and real.has_chunks.  Measures some objects before, since
 * tcmalloc allocates at the first one. */
static void
find_measure(void)
{
  bool has_chunks = real_is_of((void *)gnu_get_libc_version);
  if (!real_is_of((void *)real.malloc_usable_size))
    return;
  for (size_t bytes = 1; bytes < MARK_MOST; bytes = bytes * 5 + 3) {
    void *const object = real.malloc(bytes);
    if (object == NULL)
      return;
    const size_t end = real.malloc_usable_size(object);
    has_chunks = has_chunks && (uintptr_t)object >> 56 == 0 && /* no tag */
                 chunk_end(object) == end;
    real.free(object);
  }
  real.measure = real.malloc_usable_size;
  real.has_chunks = has_chunks;
}

static void
find_under_lock(const struct interposed_function *functions)
{
  spin_lock(&real.lock);
  if (real.malloc == NULL) /* what is called next may allocate */
    find_functions(functions);
  if (real.found || real.bypassed) {
    /* by another thread */
  } else if (!stands_aside() && process_selection_includes_this()) {
    /* libraries may find one that the program has in front of this one, and
       that leans on the real one */
    if (dlsym(RTLD_DEFAULT, functions->name) == functions->own)
      rebind_symbols(functions, false);
    find_measure();
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
