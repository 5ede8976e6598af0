/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures of a C program as a pprof profile.  Its functions are addresses
 * in mapped files: who reads the profile puts names and lines to them.
 */

#ifndef MPROF_RECOVER_C_PROFILE_H
#define MPROF_RECOVER_C_PROFILE_H

#include "code/code_objects.h"
#include "malloc/count/malloc_monitor.h"
#include "recover/losses.h"
#include "recover/pprof_stream.h"

#include <stdbool.h>
#include <stdint.h>

/* The sums over all leaves, and the most bytes that were live. */
struct c_total {
  uint64_t count, bytes, peak_bytes;
};

struct c_figures {
  const struct context_tree *tree; /* leaves have their counts */
  const struct leaf_life *lives;   /* by leaf */
  const struct leaf_loss *losses;  /* by leaf; NULL: they are not known */
  const struct code_objects *loaded, *unloaded;
  struct c_total total;
  bool lisp;     /* there is another heap, which is Lisp's */
  void *closure; /* of all that follow */

  const char *(*thread)(void *closure, uint32_t label);
  const char *(*region)(void *closure, uint32_t number);

  /* Add the type and category of what is in the other heap. */
  void (*put_heap_labels)(void *closure, struct pprof_stream *p,
                          const struct kind *kind);
  /* The name that the other heap has for what is at a site in the function
   * with that number, or NULL; and see sample_writer.h. */
  const char *(*name_of)(void *closure, uint64_t site, uint32_t function);
  uint64_t (*between)(void *closure, uint64_t site, uint32_t function,
                      uint32_t callee);

  /* Comments that not all figures have. */
  void (*put_comments)(void *closure, struct pprof_stream *p);
};

/* Writes them into an open file, which keeps what fails. */
void c_profile_write(struct octets *file, const struct c_figures *figures);

#endif
