/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/ecl/lisp_runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "c/count/malloc_monitor.h"
#include "c/ecl/lisp_heap.h"
#include "c/interpose/real_allocator.h"
#include "image/spin_lock.h"

#undef dlopen /* the collector's own */

struct lisp_runtime lisp_runtime;

/* ECL and the collector are asked by what they have themselves, which is
 * found when the program begins or never. */
#pragma weak GC_malloc_many

/* ---- by name ---- */

/* In a library that was loaded for itself alone, so that others do not find
 * what is in it. */
static void *
find_in_library(const char *library, const char *name)
{
  void *handle = NULL, *found = NULL;
  for (struct link_map *map = _r_debug.r_map; map != NULL && handle == NULL;
       map = map->l_next)
    if (strstr(map->l_name, library) != NULL)
      handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != NULL) {
    found = dlsym(handle, name);
    dlclose(handle);
  }
  return found;
}

void *
lisp_runtime_search(const char *name)
{
  malloc_monitor_inside++;
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL)
    found = find_in_library(
        strncmp(name, "GC_", 3) == 0 ? "/libgc.so" : "/libecl.so", name);
  malloc_monitor_inside--;
  return found;
}

size_t
lisp_runtime_symbol_bytes(const void *at)
{
  Dl_info info;
  ElfW(Sym) * symbol;
  return dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
                 symbol != NULL && info.dli_saddr == at
             ? symbol->st_size
             : 0;
}

/* ---- ECL ---- */

/* Whether the file that has the function is of the release whose headers this
 * was compiled with. */
static bool
is_known_release(const void *function)
{
  char name[32];
  Dl_info info;
  snprintf(name, sizeof name, "/libecl.so.%d.%d", ECL_VERSION_NUMBER / 10000,
           ECL_VERSION_NUMBER / 100 % 100);
  return dladdr(function, &info) != 0 && info.dli_fname != NULL &&
         strstr(info.dli_fname, name) != NULL;
}

extern cl_fixnum ecl_option_values[ECL_OPT_LIMIT + 1];
extern const struct ecl_file_ops clos_stream_ops;

/* Whether what it exports is as large as the headers say: ECL that is
 * configured in another way has other structures. */
static bool
is_known_build(void)
{
  return lisp_runtime_symbol_bytes(&cl_core) == sizeof cl_core &&
         lisp_runtime_symbol_bytes(ecl_option_values) ==
             sizeof ecl_option_values &&
         lisp_runtime_symbol_bytes(&clos_stream_ops) ==
             sizeof clos_stream_ops;
}

/* Whether its objects are to be counted here; says why not. */
static bool
is_counted(void)
{
  const void *const cons = lisp_runtime_search("ecl_cons");
  const char *why = NULL;
  if (cons == NULL || lisp_runtime_search("ecl_allocation_monitor") != NULL ||
      !real_allocator_is_ours())
    return false;
  if (GC_malloc_many == NULL)
    why = "ECL was not loaded when the program started";
  else if (!is_known_release(cons))
    why = "this ECL is not the release that mprof was built for";
  else if (!is_known_build())
    why = "this ECL was built with options that mprof does not know";
  if (why != NULL)
    dprintf(STDERR_FILENO, "mprof: %s: Lisp objects are not counted\n", why);
  return why == NULL;
}

void
lisp_runtime_find(void)
{
  static struct spin_lock lock;
  spin_lock(&lock);
  if (!lisp_runtime.found) {
    if (is_counted()) {
      lisp_runtime.malloc = lisp_runtime_search("GC_malloc");
      lisp_runtime.malloc_atomic = lisp_runtime_search("GC_malloc_atomic");
      lisp_heap_open();
      lisp_runtime.hooked = lisp_runtime.awaits_first = true;
    }
    __atomic_store_n(&lisp_runtime.found, true, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
}
