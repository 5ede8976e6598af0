/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of code that profiles of a run have addresses in: each, by its
 * path and build id, is read once.
 *
 * A file that is open takes descriptors, and memory for its symbols and debug
 * information: of the MOST_OPEN that were used last.  The others are opened
 * again when something new is asked of them.
 *
 * Not safe for two threads.
 */

#pragma once

#include "base/names.h"
#include "profile/profile.h"
#include "symbols/code_file.h"

/* What the file says of a place. */
struct code_place {
  bool known;     /* the file has it */
  bool nameless;  /* the active function has no symbol */
  bool debugged;  /* there is information for debugging, and it was needed */
  uint64_t start; /* of the active function */
  size_t first_line, line_count; /* among the lines of the module: of the
                                    active function, then of what is inlined
                                    in it, and in that, ... */
};

/* A function at a line; names are ids of code_names.names. */
struct code_line {
  struct profile_function function;
  uint32_t line_file; /* where the line is; 0: not known */
  int64_t line;       /* 0: not known */
};

struct code_module {
  const char *path, *build_id; /* build_id NULL: the file is never read */
  uint64_t code_offset;        /* offset of the code in the file that ran, in
                                  bytes; set by the caller that asks for
                                  addresses */
  enum code_file_outcome outcome; /* of the last attempt to open the file */
  uint64_t last_use;              /* code_names.uses then */
  struct pool pool;      /* memory of the next three while it is open */
  struct code_file file; /* all zero: it is not open */
  struct function_symbols symbols;
  struct source_places sources;
  bool sources_read;
  struct row_table types; /* program_types_read */
  bool types_read;
  struct index_map by_offset; /* numbers of places that were asked for */
  struct code_place *places;
  size_t place_count, place_capacity;
  struct code_line *lines;
  size_t line_count, line_capacity;
  uint64_t place_code; /* code_offset when these were found */
};

struct code_names {    /* all zero, but for the pool and DELETED: empty */
  struct pool *pool;   /* memory of all but open files; not owned */
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

/* Returns the module for the file PATH with BUILD_ID; NAMES owns it.  Opens
 * the file if it is new: `outcome' says with what result.  With BUILD_ID NULL
 * the file is not looked at. */
struct code_module *code_names_module(struct code_names *names,
                                      const char *path, const char *build_id);

/* Sets FOUND to the function OFFSET bytes into the file MODULE, and *ADDRESS
 * to that place (code_file_address).  If no function is known there, FOUND
 * begins at the place, without a name.  Returns false if the file cannot be
 * read or has no such place; then FOUND begins at OFFSET, without a name. */
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

/* Returns the types of MODULE (program_types_read), whose names are in
 * NAMES->names; none if the file cannot be read.  NAMES owns them. */
const struct row_table *code_names_types(struct code_names *names,
                                         struct code_module *module);
