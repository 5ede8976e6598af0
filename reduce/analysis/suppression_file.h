/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which chains a file of the user's suppresses, in the form that
 * LeakSanitizer reads, or valgrind's, or both:
 *
 *     # a comment
 *     leak:PATTERN
 *     {
 *       any name
 *       Memcheck:Leak
 *       match-leak-kinds: definite
 *       fun:malloc
 *       fun:FUNCTION
 *       ...
 *       obj:FILE
 *     }
 *
 * A block is for chains that begin with its frames, innermost first, where *
 * stands for any text, ? for a character and ... for any frames; the
 * function that allocates comes first, and no chain has it.  Blocks for other
 * errors, or only for kinds of leaks that are not definite, say nothing.
 */

#ifndef MPROF_SUPPRESSION_FILE_H
#define MPROF_SUPPRESSION_FILE_H

#include "pprof/profile.h"

enum frame_kind { FRAME_FUNCTION, FRAME_OBJECT, FRAME_ANY };

struct frame_pattern {
  enum frame_kind kind;
  const char *text; /* NULL: it is for any frames */
};

/* The frames of a block: COUNT from FIRST on. */
struct chain_pattern {
  size_t first, count;
};

struct suppression_file { /* all zero: empty */
  const char **patterns;  /* of LeakSanitizer */
  size_t count, capacity;

  struct chain_pattern *chains; /* of valgrind */
  size_t chain_count, chain_capacity;
  struct frame_pattern *frames;
  size_t frame_count, frame_capacity;
};

/* What the file PATH says. */
struct suppression_file suppression_file_read(const char *path);

/* Whether a pattern matches TEXT, the name of a function or a file. */
bool suppression_file_names(const struct suppression_file *file,
                            const char *text);

/* Whether a block is for the chain of NODE. */
bool suppression_file_has_chain(const struct suppression_file *file,
                                const struct profile *profile, size_t node);

#endif
