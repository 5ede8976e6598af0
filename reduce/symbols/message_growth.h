/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adding strings, functions, lines and comments to a profile message that
 * protobuf-c made, in its own memory, so that protobuf-c frees them with it.
 */

#ifndef MPROF_MESSAGE_GROWTH_H
#define MPROF_MESSAGE_GROWTH_H

#include "profile/names.h"

#include "profile.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message_growth {
  Mprof__Pprof__Profile *message; /* not owned */
  struct names names;             /* the strings that were added, ... */
  int64_t first_string;           /* ... from this one on, but for "" */
  size_t string_capacity, function_capacity, comment_capacity;
  uint64_t last_function; /* largest id of a function */
};

/* MESSAGE has a first string.  False when memory runs out, as for all that
 * follow; release it even then. */
bool message_growth_init(struct message_growth *growth,
                         Mprof__Pprof__Profile *message);
void message_growth_release(struct message_growth *growth);

/* Sets *INDEX to that of the string TEXT, which is added when new. */
bool message_add_string(struct message_growth *growth, const char *text,
                        int64_t *index);

/* Adds the comment TEXT. */
bool message_add_comment(struct message_growth *growth, const char *text);

/* Adds a function; NULL when memory runs out.  The strings may be "". */
Mprof__Pprof__Function *message_add_function(struct message_growth *growth,
                                             const char *name,
                                             const char *system_name,
                                             const char *file,
                                             int64_t start_line);

/* Gives LOCATION, which has no line, the one LINE of FUNCTION. */
bool message_set_line(Mprof__Pprof__Location *location,
                      const Mprof__Pprof__Function *function, int64_t line);

#endif
