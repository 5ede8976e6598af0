/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What files of code say of addresses, kept for all profiles of a run: each
 * file, by its path and build id, is read once, and each place of it is
 * looked up once.
 *
 * A file that is open takes descriptors, and memory for its symbols and debug
 * information: of the MOST_OPEN that were used last.  The others are opened
 * again when something new is asked of them; what they said stays.
 *
 * Not safe for two threads.
 */

#ifndef MPROF_CODE_NAMES_H
#define MPROF_CODE_NAMES_H

#include "base/names.h"
#include "symbols/code_file.h"

/* A function; the texts are those of the names. */
struct code_function {
  uint32_t name, system_name, file;
  int64_t start_line; /* 0 when not known */
};

struct code_line {
  uint32_t function; /* number */
  int64_t line;      /* 0 when not known */
};

/* The functions of a place are COUNT lines from FIRST on, as in a profile:
 * the innermost of those that were inlined first, the active one last. */
struct code_place {
  size_t first;
  uint32_t count;
  bool known;    /* the file has this place */
  bool nameless; /* the active function has no symbol */
};

struct code_module {
  const char *path, *build_id; /* of the names */
  enum code_file_outcome outcome;
  bool is_open;
  bool has_information; /* for debugging, and that is read */
  uint64_t last_use;
  struct pool pool; /* of the next three, while the file is open */
  struct code_file file;
  struct function_symbols symbols;
  struct source_places sources; /* if it is read */
  struct row_table types;       /* program_types_read */
  bool types_read;
  struct index_map functions; /* by start */
  struct index_map by_offset; /* number of a place */
  struct code_place *places;
  size_t place_count, place_capacity;
};

struct code_names {  /* all zero, but for the pool: empty */
  struct pool *pool; /* which all of it is in */
  struct names names;
  struct code_module **modules;
  size_t module_count, module_capacity, open_count;
  struct index_map by_key; /* number of a module, by path and build id */
  uint64_t uses;
  struct code_function *functions;
  size_t function_count, function_capacity;
  struct code_line *lines;
  size_t line_count, line_capacity;
};

/* After a failure, and at the end: NAMES is empty again. */
void code_names_release(struct code_names *names);

/* The file PATH with BUILD_ID, which is read when this is new; BUILD_ID NULL:
 * it is not looked at. */
struct code_module *code_names_module(struct code_names *names,
                                      const char *path, const char *build_id);

/* The place OFFSET bytes into the file MODULE; valid until the next call.
 * Where the file has none the function is [FILE+0xOFFSET]. */
const struct code_place *code_names_place(struct code_names *names,
                                          struct code_module *module,
                                          uint64_t offset);

/* The types of MODULE, sizes and names: program_types_read. */
const struct row_table *code_names_types(struct code_names *names,
                                         struct code_module *module);

#endif
