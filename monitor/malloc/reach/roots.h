/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roots.h -- where a program may have the addresses of its objects, but for
 * the objects themselves: variables of the program and its libraries,
 * variables that each thread has of its own, stacks, registers.
 *
 * What the program has from mmap is none, as in LeakSanitizer.  Nor is what
 * belongs to the C library's allocator, which knows addresses too, or to this
 * monitor.
 */
#ifndef MPROF_ROOTS_H
#define MPROF_ROOTS_H

#include "code/code_objects.h"
#include "malloc/reach/heap_objects.h"
#include "malloc/reach/memory_map.h"
#include "malloc/reach/stopped_threads.h"

/* Told of all memory from `start' to `end', and of single words. */
struct root_visitor {
  memory_visit_fn *memory;
  void (*word)(void *closure, uintptr_t word);
  void *closure;
};

struct roots {
  const struct code_objects *code; /* that is loaded */
  const struct memory_map *map;
  const struct heap_objects *heap;
  const struct stopped_thread *here; /* this thread */
  const struct stopped_threads *others;
};

/* Ask the C library where it has what belongs to a thread.  May allocate, so
 * once, when the monitor begins. */
void roots_open(void);

void roots_visit(const struct roots *roots,
                 const struct root_visitor *visitor);

#endif
