/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * attach.c -- the monitor in a program that runs already.  A debugger loads
 * the library, and calls these functions; nobody else does.
 *
 * Objects are given out as they come from the real allocator: the program may
 * have stored the address of the real free, and may free any object by that.
 * Such an end is seen when the address is given out again.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "c/count/malloc_monitor.h"
#include "c/environment.h"
#include "c/image/process_image.h"
#include "c/interpose/interposed.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"
#include "c/session/malloc_session.h"
#include "image/image.h"

/* ---- in front of the real functions ---- */

static void
end_object(void *object)
{
  struct object_record taken;
  objects_unregister_bare(object, &taken);
  objects_count_free(&taken);
}

/* The call ends, which has entered the monitor. */
static void *
register_bare(void *object, size_t bytes, const uintptr_t *frame)
{
  if (object != NULL)
    end_object(object); /* the one that was there */
  return objects_register_bare(object, bytes, frame);
}

#define ATTACHED(name, parameters, arguments)                                \
  static void *attached_##name parameters                                    \
  {                                                                          \
    malloc_monitor_inside++;                                                 \
    return register_bare(real.name arguments, bytes, FRAME);                 \
  }

ATTACHED(malloc, (size_t bytes), (bytes))
ATTACHED(valloc, (size_t bytes), (bytes))
ATTACHED(pvalloc, (size_t bytes), (bytes))
ATTACHED(memalign, (size_t boundary, size_t bytes), (boundary, bytes))
ATTACHED(aligned_alloc, (size_t boundary, size_t bytes), (boundary, bytes))

static void *
attached_calloc(size_t count, size_t size)
{
  malloc_monitor_inside++;
  return register_bare(real.calloc(count, size), count * size, FRAME);
}

static int
attached_posix_memalign(void **result, size_t alignment, size_t bytes)
{
  void *p = NULL;
  malloc_monitor_inside++;
  int status = real.posix_memalign(&p, alignment, bytes);
  register_bare(status == 0 ? p : NULL, bytes, FRAME);
  if (status == 0)
    *result = p;
  return status;
}

static void
attached_free(void *p)
{
  malloc_monitor_inside++;
  if (p != NULL)
    end_object(p);
  real.free(p);
  malloc_monitor_inside--;
}

/* Another thread may get the address at once: so what is freed is told
 * before. */
static void *
attached_realloc(void *p, size_t bytes)
{
  struct object_record taken = {0};
  malloc_monitor_inside++;
  if (p != NULL)
    objects_unregister_bare(p, &taken);
  void *q = real.realloc(p, bytes);
  if (q == NULL && p != NULL && bytes != 0) {
    if (taken.counted.leaf != 0)
      objects_restore(&taken);
    malloc_monitor_inside--;
    return NULL;
  }
  objects_count_free(&taken);
  return register_bare(q, bytes, FRAME);
}

#define FUNCTION(name)                                                       \
  {                                                                          \
#name, &real.name, (void *)attached_##name                               \
  }

static const struct interposed_function attached_functions[] = {
    FUNCTION(malloc),   FUNCTION(calloc),         FUNCTION(realloc),
    FUNCTION(free),     FUNCTION(valloc),         FUNCTION(pvalloc),
    FUNCTION(memalign), FUNCTION(posix_memalign), FUNCTION(aligned_alloc),
    {.real = NULL}};

/* ---- what the debugger calls ---- */

EXPORT const char *mprof_attach(const char *settings);
EXPORT void mprof_detach(void);

/* What the program itself finds by that name, and not this library. */
static void *
found_by_program(const char *name)
{
  malloc_monitor_inside++;
  void *program = dlopen(NULL, RTLD_LAZY);
  void *found = program == NULL ? NULL : dlsym(program, name);
  dlsym(RTLD_DEFAULT, "malloc"); /* leaves no error, see function_behind */
  malloc_monitor_inside--;
  return found;
}

/* What libraries find by that name.  A program that is not
 * position-independent and takes the address of a function gives it one of
 * its own, in its linkage table: who calls that comes to the slot of the
 * program, which is bound anew as any other. */
static void *
found_by_libraries(const char *name)
{
  const struct link_map *map = _r_debug.r_map;
  void *found = NULL;
  while (found == NULL && map != NULL && (map = map->l_next) != NULL) {
    void *const handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    struct dl_find_object object;
    void *const there = handle == NULL ? NULL : dlsym(handle, name);
    if (there != NULL && _dl_find_object(there, &object) == 0 &&
        object.dlfo_link_map == map) /* and not in one that it needs */
      found = there;
    if (handle != NULL)
      dlclose(handle);
  }
  return found;
}

/* What the program finds may be the entry of its own linkage table. */
static bool
is_real_malloc(void)
{
  Dl_info info;
  const Elf64_Sym *symbol;
  void *found = found_by_program("malloc");
  if (dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
      symbol != NULL && symbol->st_shndx == SHN_UNDEF)
    found = found_by_libraries("malloc");
  return found == (void *)real.malloc;
}

static bool awaited, attached; /* in this process, now */

bool
attach_is_awaited(void)
{
  const bool known = found_by_program("mprof_attach") != NULL;
  if (!known && !real.found && !real.bypassed) {
    real_allocator_bypass(); /* the debugger may call malloc by its name */
    awaited = true;
  }
  return awaited;
}

/* As if this had never come; the image stays as it is. */
static void
detach(void)
{
  attached = false;
  malloc_monitor_count(false);
  malloc_monitor_leave_image(&malloc_monitor);
  rebind_back(attached_functions);
  rebind_back(process_event_functions());
  real_allocator_bypass();
}

/* Whether the process that has brought the monitor is there still, and will
 * take it away. */
static bool
is_profiled(void)
{
  const pid_t by = (pid_t)environment_number("MPROF_BY", 0);
  return attached && by != 0 && (kill(by, 0) == 0 || errno == EPERM);
}

/* Count from now on.  `settings' are as the environment is, NAME=VALUE with a
 * newline behind each.  Gives back why not, or NULL. */
const char *
mprof_attach(const char *settings)
{
  if (!awaited || is_profiled())
    return "it is already being profiled";
  if (arenas_are_sealed())
    return "it is the child of a profiled process, or it filters system "
           "calls";
  malloc_monitor_inside++;
  if (attached)
    detach();
  if (!environment_replace(settings)) {
    malloc_monitor_inside--;
    return strerrordesc_np(ENOMEM);
  }
  if (!is_real_malloc()) {
    malloc_monitor_inside--;
    return "its malloc is not the C library's";
  }
  attached = true;
  real_allocator_attach();
  process_image_set(environment_value("MPROF_OUT"));
  malloc_session_begin();
  malloc_monitor_open(&malloc_monitor);
  rebind_symbols(attached_functions);
  rebind_slots(attached_functions);
  rebind_slots(process_event_functions());
  malloc_monitor_forget(&malloc_monitor);
  if (!image_is_open())
    detach();
  malloc_monitor_inside--;
  return attached ? NULL : "it cannot write its profile there";
}

/* Count no more. */
void
mprof_detach(void)
{
  if (attached)
    detach();
}
