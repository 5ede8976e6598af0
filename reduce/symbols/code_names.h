/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of code that profiles of a run have addresses in: each, by its
 * path and build id, is read once.
 *
 * A file that is open takes descriptors, and memory for its symbols and debug
 * information: of the MOST_OPEN that were used last.  The others are opened
 * again when something is asked of them.
 *
 * Not safe for two threads.
 */

#pragma once

#include "base/names.h"
#include "profile/profile.h"
#include "symbols/code_file.h"

/* What the file says of a place. */
struct code_place {
  bool known;    /* the file has it */
  bool nameless; /* the active function has no symbol */
  bool debugged; /* there is information for debugging */
};

struct code_module {
  const char *path, *build_id; /* of the names */
  uint64_t code_offset;        /* as far into the file is its code; whoever
                                  asks for addresses has set it */
  enum code_file_outcome outcome;
  uint64_t last_use;
  struct pool pool;      /* of the next three, while the file is open */
  struct code_file file; /* all zero: it is not open */
  struct function_symbols symbols;
  struct source_places sources; /* if it is read */
  struct row_table types;       /* program_types_read */
  bool types_read;
};

struct code_names {    /* all zero, but for the pool and DELETED: empty */
  struct pool *pool;   /* which all of it is in */
  const char *deleted; /* another path to a file that was deleted while it
                          ran; NULL: there is none */
  struct names names;
  struct code_module **modules;
  size_t module_count, module_capacity, open_count;
  struct index_map by_key; /* number of a module, by path and build id */
  uint64_t uses;
};

/* Releases all that NAMES has, after a failure and at the end.  It is empty
 * then. */
void code_names_release(struct code_names *names);

/* Returns the file PATH with BUILD_ID, which is read when this is new;
 * BUILD_ID NULL: it is not looked at. */
struct code_module *code_names_module(struct code_names *names,
                                      const char *path, const char *build_id);

/* Finds the function OFFSET bytes into the file MODULE, and *ADDRESS, what
 * that calls the place; false when it has none.  A function of which nothing
 * is known begins at the place. */
bool code_names_function(struct code_names *names, struct code_module *module,
                         uint64_t offset, uint64_t *address,
                         struct function_found *found);

/* Gives LOCATION of PROFILE the lines of the place OFFSET bytes into the file
 * MODULE: the innermost function of those that were inlined first, the active
 * one last.  Where the file has no such place the function is [FILE+0xOFFSET]
 * in a profile by mprof, and there is no line in others.  FUNCTIONS are the
 * numbers in PROFILE of the module's active functions by their starts, as far
 * as they are known; it gets more. */
struct code_place
code_names_add_lines(struct code_names *names, struct code_module *module,
                     uint64_t offset, struct profile *profile,
                     struct index_map *functions, uint32_t location);

/* Returns the types of MODULE, sizes and names: program_types_read. */
const struct row_table *code_names_types(struct code_names *names,
                                         struct code_module *module);
