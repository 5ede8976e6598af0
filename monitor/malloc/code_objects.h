/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_objects.h -- the program and the libraries whose code is or was in the
 * process, so that an address in a call chain has a meaning when the process
 * is gone.
 *
 * When a library is unloaded its addresses are used again.  So call sites in
 * it become numbers: SITE_RETIRED, its number among all that were unloaded,
 * and the offset in it.
 *
 * Takes the dynamic linker's lock: nothing here may be called with the
 * monitor's lock held, for a thread in dlopen may wait for that; but for
 * code_objects_find, which takes none.  Memory is the kernel's.
 */
#ifndef MPROF_CODE_OBJECTS_H
#define MPROF_CODE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tree/arena.h"

enum { BUILD_ID_BYTES = 32 };

struct code_object {
  uintptr_t start, end; /* of its code in memory */
  uintptr_t base;       /* what is added to the addresses in its file */
  uint64_t file_offset; /* of `start' */
  uint8_t build_id[BUILD_ID_BYTES];
  size_t build_id_size; /* 0: it has none */
  const char *path;     /* the list's */
};

struct code_objects { /* all zero: none */
  struct arena arena; /* nothing in it: the list is that of another owner */
  struct code_object *objects;
  size_t count;
  char *text; /* the paths, one after the other */
  size_t text_bytes;
};

/* All that are loaded now.  False when there is no memory.  Without the
 * linker's lock when a handler has interrupted this thread with the monitor's
 * lock held: then they are what the linker's list is at that moment. */
int code_objects_list(struct code_objects *list, bool without_lock);

/* Before a fork, without any lock: the child shall not have to find out what
 * is loaded, for that it would have to read the beginning of each file.  And
 * in the child, where nobody will open the linker's lock. */
void code_objects_before_fork(void);
void code_objects_forked(void);

void code_objects_release(struct code_objects *list);

/* The one with that address in its code, or NULL. */
const struct code_object *code_objects_find(const struct code_objects *list,
                                            uintptr_t address);

/* Those that were unloaded, by their numbers. */
extern struct code_objects code_objects_unloaded;

/* What of `before' is not loaded any more is added to these, and call sites
 * in it are renamed in the monitor's tree. */
void code_objects_retire(const struct code_objects *before);

/* A retired site as the number of the object and the offset from its start.
 */
enum { RETIRED_OFFSET_BITS = 40 };
#define RETIRED_OBJECT(site)                                                 \
  ((size_t)(((site) & ~SITE_RETIRED) >> RETIRED_OFFSET_BITS))
#define RETIRED_OFFSET(site)                                                 \
  ((uintptr_t)((site) & ((UINT64_C(1) << RETIRED_OFFSET_BITS) - 1)))

#endif
