/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_profile.h -- the figures of a C program as a pprof profile.
 *
 * It is written without any help of the program's allocator or of libraries,
 * so it can be written from a signal handler after a crash.  So functions are
 * addresses in mapped files: `mprof run', and the reducer when it reads the
 * file, put names and lines to them.
 *
 * Whose figures they are is told by a struct malloc_figures: those of this
 * process, as they are now or were copied (malloc_figures.c), or what another
 * one has left in an image.
 */
#ifndef MPROF_MALLOC_PROFILE_H
#define MPROF_MALLOC_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_objects.h"
#include "malloc/count/malloc_snapshot.h"
#include "malloc/reach/reach.h"
#include "write/pprof_stream.h"

struct sample_writer;

struct malloc_figures {
  const struct context_tree *tree;
  const struct code_objects *loaded, *unloaded;
  struct malloc_total total;
  bool reach; /* it is known what is lost */
  bool lisp;  /* there is another heap, which is Lisp's */
  void *closure; /* of all that follow */

  struct leaf_figures (*leaf)(void *closure, uint32_t leaf);
  struct leaf_loss (*loss)(void *closure, uint32_t leaf); /* with `reach' */
  const char *(*thread)(void *closure, uint32_t label);
  const char *(*region)(void *closure, uint32_t number);

  /* Add the type and category of what is in the other heap. */
  void (*put_heap_labels)(void *closure, struct pprof_stream *p,
                          const struct kind *kind);
  /* The name that the other heap has for what is at a site in the function
   * with that number, or NULL; and see sample_writer.h.  May be NULL. */
  const char *(*name_of)(void *closure, uint64_t site, uint32_t function);
  uint64_t (*between)(uint64_t site, uint32_t function, uint32_t callee);

  /* Comments that not all figures have. */
  void (*put_comments)(void *closure, struct pprof_stream *p);
};

/* Write them into an open file, which keeps what fails. */
void malloc_profile_write(struct gzip_file *file,
                          const struct malloc_figures *figures);

/* Those of this process, of which `snapshot' has the counters; `objects' are
 * those that are loaded. */
struct malloc_figures malloc_figures(const struct code_objects *objects,
                                     struct malloc_snapshot *snapshot);

#endif
