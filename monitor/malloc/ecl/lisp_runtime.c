/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_runtime.c -- see lisp_runtime.h.
 */
#include "malloc/ecl/lisp_runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "malloc/ecl/lisp_heap.h"
#include "malloc/interpose/real_allocator.h"
#include "tree/spin_lock.h"

#undef dlopen /* the collector's own */

struct lisp_runtime lisp_runtime;

/* The collector is asked by its own functions, which are found when the
 * program begins or never. */
#pragma weak GC_malloc_many

/* ---- by name ---- */

/* In a library that was loaded for itself alone, so that others do not find
 * what is in it. */
static void *
find_in_library(const char *library, const char *name)
{
  for (struct link_map *map = _r_debug.r_map; map != NULL;
       map = map->l_next) {
    const char *file = strrchr(map->l_name, '/');
    if (file != NULL && strncmp(file + 1, library, strlen(library)) == 0) {
      void *const handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
      if (handle != NULL) {
        void *const found = dlsym(handle, name);
        dlclose(handle);
        return found;
      }
    }
  }
  return NULL;
}

static void *
find(const char *library, const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  return found != NULL ? found : find_in_library(library, name);
}

static bool missing; /* something that is in each ECL and collector */

/* A cast between a function and an object pointer, which POSIX allows. */
static void
set(void *function, const char *library, const char *name)
{
  void *const found = find(library, name);
  memcpy(function, &found, sizeof found);
  missing = missing || found == NULL;
}

#define COLLECTOR "libgc.so"
#define LISP "libecl.so"

/* ---- the collector ---- */

static void
find_collector(void)
{
  struct lisp_runtime *const r = &lisp_runtime;
  struct dl_find_object object;
  set(&r->malloc, COLLECTOR, "GC_malloc");
  set(&r->malloc_atomic, COLLECTOR, "GC_malloc_atomic");
  set(&r->malloc_ignore_off_page, COLLECTOR, "GC_malloc_ignore_off_page");
  set(&r->malloc_atomic_ignore_off_page, COLLECTOR,
      "GC_malloc_atomic_ignore_off_page");
  set(&r->malloc_uncollectable, COLLECTOR, "GC_malloc_uncollectable");
  set(&r->register_finalizer, COLLECTOR, "GC_register_finalizer_no_order");
  set(&r->register_link, COLLECTOR, "GC_general_register_disappearing_link");
  set(&r->register_thread, COLLECTOR, "GC_register_my_thread");
  set(&r->unregister_thread, COLLECTOR, "GC_unregister_my_thread");
  set(&r->create_thread, COLLECTOR, "GC_pthread_create");
  if (r->malloc != NULL &&
      _dl_find_object((void *)(uintptr_t)r->malloc, &object) == 0) {
    r->collector.start = (uintptr_t)object.dlfo_map_start;
    r->collector.bytes = (uintptr_t)object.dlfo_map_end -
                         (uintptr_t)object.dlfo_map_start;
  }
  __atomic_store_n(&r->sought, true, __ATOMIC_RELEASE);
}

void
lisp_runtime_find_collector(void)
{
  static struct spin_lock lock;
  spin_lock(&lock);
  if (!lisp_runtime.sought)
    find_collector();
  spin_unlock(&lock);
}

/* ---- ECL ---- */

/* Whether the file that has the function is of the release whose headers this
 * was compiled with. */
static bool
is_known_release(const void *function)
{
  char name[32];
  const char *file;
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == NULL)
    return false;
  file = strrchr(info.dli_fname, '/');
  snprintf(name, sizeof name, "libecl.so.%d.%d", ECL_VERSION_NUMBER / 10000,
           ECL_VERSION_NUMBER / 100 % 100);
  return file != NULL && strncmp(file + 1, name, strlen(name)) == 0;
}

/* Whether what it exports is there, and as large as the headers say: ECL that
 * is configured in another way has other structures. */
static bool
is_known_build(void)
{
  static const struct {
    const char *name;
    size_t bytes;
  } data[] = {
      {"cl_core", sizeof(struct cl_core_struct)},
      {"ecl_option_values", (ECL_OPT_LIMIT + 1) * sizeof(cl_fixnum)},
      {"clos_stream_ops", sizeof(struct ecl_file_ops)},
  };
  for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
    if (lisp_runtime_symbol_bytes(find(LISP, data[i].name)) != data[i].bytes)
      return false;
  return !missing;
}

/* Why Lisp objects are not counted, as one line. */
static void
say(const char *why)
{
  char line[160];
  const int n = snprintf(line, sizeof line,
                         "mprof: %s: Lisp objects are not counted\n",
                         why);
  const ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
  (void)ignored;
}

static void
find_lisp(void)
{
  struct lisp_runtime *const r = &lisp_runtime;
  set(&r->alloc_object, LISP, "ecl_alloc_object");
  set(&r->cons, LISP, "ecl_cons");
  set(&r->alloc_compact_object, LISP, "ecl_alloc_compact_object");
  set(&r->alloc_simple_vector, LISP, "ecl_alloc_simple_vector");
  set(&r->allocate_instance, LISP, "ecl_allocate_instance");
  set(&r->make_structure, LISP, "si_make_structure");
  set(&r->interpret, LISP, "ecl_interpret");
  set(&r->init_module, LISP, "ecl_init_module");
  set(&r->make_cfun, LISP, "ecl_make_cfun");
  set(&r->make_cfun_va, LISP, "ecl_make_cfun_va");
  set(&r->make_cclosure_va, LISP, "ecl_make_cclosure_va");
  set(&r->fset, LISP, "si_fset");
  set(&r->dealloc_env, LISP, "_ecl_dealloc_env");
  set(&r->import_thread, LISP, "ecl_import_current_thread");
  set(&r->is_lower_case, LISP, "ecl_lower_case_p");
  set(&r->process_env, LISP, "ecl_process_env");
  r->core = find(LISP, "cl_core");
  r->dispatch = (uintptr_t)find(LISP, "ecl_function_dispatch");
  set(&r->library_close_all, LISP, "ecl_library_close_all");
}

/* Whether its objects are to be counted here. */
static bool
is_counted(void)
{
  const void *const cons = (const void *)(uintptr_t)lisp_runtime.cons;
  if (cons == NULL || find(LISP, "ecl_allocation_monitor") != NULL ||
      !real_allocator_is_ours())
    return false;
  if (GC_malloc_many == NULL) {
    say("ECL was not loaded when the program started");
    return false;
  }
  if (!is_known_release(cons)) {
    say("this ECL is not the release that mprof was built for");
    return false;
  }
  if (!is_known_build()) {
    say("this ECL was built with options that mprof does not know");
    return false;
  }
  return true;
}

void
lisp_runtime_find(void)
{
  static struct spin_lock lock;
  spin_lock(&lock);
  if (!lisp_runtime.found) {
    find_lisp();
    find_collector();
    lisp_runtime.hooked = is_counted();
    if (lisp_runtime.hooked)
      lisp_heap_open();
    lisp_runtime.awaits = lisp_runtime.hooked;
    __atomic_store_n(&lisp_runtime.found, true, __ATOMIC_RELEASE);
  }
  spin_unlock(&lock);
}

size_t
lisp_runtime_symbol_bytes(const void *at)
{
  Dl_info info;
  ElfW(Sym) *symbol;
  return dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
                 symbol != NULL && info.dli_saddr == at
             ? symbol->st_size
             : 0;
}
