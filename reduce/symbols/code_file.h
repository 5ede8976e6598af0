/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the file that code came from, a program or a library, says of an
 * address: which function is there, and which line; and its types.
 *
 * Debug information may stand in a file apart.  It is looked for by build id,
 * in .build-id below each folder of MPROF_DEBUG_PATH (/usr/lib/debug unless
 * the environment has it), then by the name that the file itself gives:
 * beside it, in .debug beside it, and below those folders.  It is taken only
 * if it has the file's build id.  Nothing is fetched over a network.  Only
 * regular files are opened.
 */

#pragma once

#include "base/index_map.h"
#include "base/names.h"

#include <elfutils/libdwfl.h>

enum code_file_outcome {
  CODE_FILE_GOOD,
  CODE_FILE_UNREADABLE, /* is not there, or is no ELF file */
  CODE_FILE_CHANGED     /* has another build id */
};

struct code_file {
  Dwfl *dwfl; /* owns all that follows */
  Dwfl_Module *module;
  Elf *elf;
  uint64_t entry; /* where a program begins */
};

#define CODE_ANY_BUILD "*" /* in the place of a build id */

/* Opens PATH, which must have BUILD_ID, in hexadecimal digits, or none if
 * that is "", or any if it is CODE_ANY_BUILD.  If it cannot, opens a file
 * with that build id below /usr/lib/debug/.build-id, or MPROF_DEBUG_PATH.  If
 * the outcome is good, FILE is open until the pool in use is released; else
 * it is all zero. */
enum code_file_outcome code_file_open(struct code_file *file,
                                      const char *path, const char *build_id);

/* Returns the debug information of FILE, which owns it, or NULL if there is
 * none.  To read it when compressed takes ten times as long as all else. */
Dwarf *code_file_information(const struct code_file *file);

/* Sets *ADDRESS to the address, as in its symbol table, of the place OFFSET
 * bytes into the file.  Returns false if that is not loaded.  A debug file
 * does not say where its contents were in the file that ran: CODE is the
 * offset of the code there. */
bool code_file_address(const struct code_file *file, uint64_t code,
                       uint64_t offset, uint64_t *address);

/* ---- functions: function_symbols.c ---- */

/* Names are those of the symbol table, the whole one where the file or its
 * debug file has it, else the one for dynamic linking.  Where neither has a
 * function for an address, the call-frame information still says where the
 * function begins.
 *
 * Of several names for one place the one with fewest underscores in front
 * wins, then a global one, then the shortest, then the first by its letters.
 */
struct function_symbols {
  struct function_symbol *symbols; /* by start */
  size_t count, capacity;
  uint64_t *starts; /* of functions by call-frame information, in order */
  size_t start_count;
  const char *second_malloc; /* name of the malloc of an allocator beside that
                                (common/second_allocators.h), owned by the
                                file; NULL: it has none */
};

struct function_found {
  uint64_t start;   /* address where the function begins */
  const char *name; /* its symbol, owned by the file; NULL: it has none */
};

/* Reads the functions of FILE, which must outlive SYMBOLS, into memory of the
 * pool in use. */
void function_symbols_init(struct function_symbols *symbols,
                           const struct code_file *file);

/* Sets FOUND to the function with ADDRESS in it.  Returns false, and leaves
 * it, if none is known. */
bool function_symbols_find(const struct function_symbols *symbols,
                           uint64_t address, struct function_found *found);

/* Returns the name of the function that SYMBOL, not empty, names: what a
 * compiler appends for its own copies of a function (".cold", ".constprop.0",
 * ".isra.0", ...) is left out, and a name of C++, Rust or D is made readable,
 * with the types of the parameters, which tell overloaded functions apart.
 * ".part.0" stays: it is called by the function.  The text is in memory of
 * the pool in use. */
char *function_name_of_symbol(const char *symbol);

/* Returns whether the function that SYMBOL names, of the program or library
 * FILE, begins a program, a thread or a library before any function of the
 * program runs: such functions are hidden as those of a runtime are, so that
 * chains begin at main.  SYMBOL may be NULL: it has no name. */
bool is_start_up_function(const char *symbol, const char *file);

/* Returns whether FILE is the C library or the dynamic linker, by its name:
 * what has no name there at the beginning of a chain is start-up code. */
bool is_c_library(const char *file);

/* ---- lines: source_places.c ---- */

/* A function that is active at a place, or that the compiler inlined there.
 */
struct source_function {
  const char *name;   /* in the source; NULL when not known, as all that the
                         debug information owns */
  const char *symbol; /* the linker's; NULL when not known */
  uint64_t start;     /* where it stands by itself; 0: nowhere */
  const char *file;
  int64_t start_line; /* 0 when not known */
  int64_t line;       /* of the place, or of the call of what was inlined; 0
                         when not known */
  const char *line_file; /* that the line is in, after #include or #line
                            another one; NULL when not known */
};

enum { SOURCE_DEPTH = 200 }; /* of blocks in blocks that are looked into */

/* The functions of a place: first the one that is active there, then what was
 * inlined into it, and into that, ...; none when nothing is known. */
struct source_place {
  struct source_function functions[SOURCE_DEPTH + 1];
  size_t count;
};

struct source_codes { /* pieces of code, by address once complete */
  struct source_code *items;
  size_t count, capacity;
};

struct source_places {
  struct source_codes ranges; /* of units */
  struct source_unit *units;
  size_t unit_count, unit_capacity;
};

/* Reads where the code of each unit is; INFORMATION may be NULL, and must
 * outlive the result. */
struct source_places source_places_of(Dwarf *information);

/* Sets PLACE to the functions at ADDRESS.  A unit is read when it is first
 * needed, into memory of the pool in use. */
void source_places_find(struct source_places *places, uint64_t address,
                        struct source_place *place);

/* ---- types: source_places.c, too ---- */

/* Adds to TYPES a row for each type that INFORMATION, which may be NULL, has:
 * its size in bytes, and its name in NAMES.  These are structures, unions and
 * classes, and typedefs of them or of arrays; those in system headers are
 * left out, for nearly every program has them. */
void program_types_read(struct row_table *types, struct names *names,
                        Dwarf *information);
