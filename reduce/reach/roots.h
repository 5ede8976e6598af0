/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a program may have the addresses of its objects, but for the objects
 * themselves: variables of the program and its libraries, variables that each
 * thread has of its own, stacks, registers.
 *
 * What the program has from mmap is none, as in LeakSanitizer.  Nor is what
 * belongs to the C library's allocator, which knows addresses too, or to the
 * monitor's table of objects.
 */

#pragma once

#include "reach/heap_objects.h"
#include "reach/remote_memory.h"
#include "reach/traced_threads.h"
#include "tree/context_tree.h"

struct roots {
  struct remote_memory *memory;
  const struct heap_objects *heap;
  const struct traced_threads *threads;
  const struct image_search *search;
  const struct context_tree *tree;
  pid_t process;
  remote_visit_fn *visit;
  void *closure; /* passed to `visit' */
};

/* Calls VISIT for all that roots are in, and for words that are in no memory,
 * such as those in registers.  Fails when the libraries of the process cannot
 * be found. */
void roots_visit(const struct roots *roots);
