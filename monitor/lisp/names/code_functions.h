/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * code_functions.h -- the compiled functions of a Lisp program by number:
 * where each keeps its frame word, and what it is called.
 *
 * Model.  A function has a number (function_numbers.h) and a record, which
 * outlives its code.  When code with a function of that Lisp name is loaded
 * from that source file again, it gets the number again: so a program that
 * loads its code over and over has no more functions, and no more contexts,
 * than one that does so once.  The hook makes a record when it meets a
 * function, and then knows no more than where that begins and whether it is
 * the runtime's.
 * Lisp names and frame words are noted before, when compiled code is loaded
 * (lisp_functions.h).  The names of C functions are the reader's business: it
 * looks for them in the files that the code was loaded from.
 *
 * Byte-compiled functions have other numbers; see kept_objects.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <link.h>

#include "code/code_objects.h"

/* The function that runs a profiled body: reports begin the chains below it
 * (lisp/with-profiling.lisp; comment mprof.root of the profile). */
#define MPROF_ROOT_FUNCTION "MPROF::CALL-COUNTING"

struct source_lines;

struct code_function {
  uintptr_t code;    /* address in it, of its beginning if that is known; 0:
                        it was unloaded */
  uint64_t retired;  /* its SITE_RETIRED, if `code' is 0 */
  const char *name;  /* Lisp name, UTF-8, from malloc; NULL: unknown */
  const char *file;  /* path of the source, from malloc, or NULL */
  int file_position; /* offset in `file' in bytes; -1: not known */
  uint32_t in_tree;  /* its role and flags: context_tree_function_fn */
  int16_t word_at;   /* bytes from the frame pointer up to its frame word;
                        0: it has none */
  struct source_lines *lines; /* of its file, shared; NULL: unknown */
  bool has_record;            /* its record of a frame word was read */
  bool is_noted;              /* see code_function_note */
  bool passes_on;             /* it only calls a method, as CLOS does */
  uint32_t next_unloaded;     /* number of the next unloaded function that may
                                 return; 0: none */
};

/* Makes room for the records, once.  Returns 0, or -1 without memory. */
int code_functions_open(void);

/* Returns the file that `address' was loaded from, or NULL.  Inside the hook.
 */
const struct link_map *code_file(uintptr_t address);

/* Returns the record with a number that was given out; for 0, an empty one.
 * Records never move.  Inside the hook. */
struct code_function *code_function_at(uint32_t number);

/* Returns the number of the function with the return address `site'; makes a
 * record if it is new.  The second takes the address `start' where a function
 * begins.  0 if there is no room, and for 0.  Inside the hook. */
uint32_t code_function_of_site(uint64_t site);
uint32_t code_function_of_start(uintptr_t start);

/* Gives the function that begins at `start' this Lisp name, source file (or
 * NULL) and position in it (-1: unknown), which are copied, and shares
 * `lines', or NULL.  Without room for its number, does nothing.  Not inside
 * the hook; one thread at a time. */
void code_function_name(uintptr_t start, const char *name, const char *file,
                        int file_position, struct source_lines *lines);

/* Returns the SITE_PLACE of the call that returns to `ip': with its line, if
 * that is known; with its offset, if `apart' and the function has a Lisp
 * name and is not ECL's own, or has a known line.  Returns `ip' itself if it
 * would have neither.  Inside the hook. */
uint64_t code_function_place(uintptr_t ip, bool apart);

/* Notes a function for images, unless it was noted or is 0; to be called
 * before a tree has it.  code_function_changed notes it again, if it was
 * noted, after its record has changed.  Inside the hook. */
void code_function_note(uint32_t number);
void code_function_changed(uint32_t number);

/* Retires the functions of `gone', which is unmapped or about to be: does
 * code_notes_retire, notes where they were, and keeps their numbers for when
 * they are loaded again.  Not inside the hook, nor while another thread is.
 */
void code_functions_retire(const struct code_object *gone);

/* ---- lines (source_lines.c) ----
 *
 * Which line of Lisp source a place in compiled code comes from.
 *
 * Model.  The patched compiler says it to the C compiler, which writes it
 * into the debugging information.  That of a compiled file is read when its
 * functions are noted, for the file may be gone later (COMPILE, a file that
 * is compiled again), and is kept as long as the code: eight bytes for each
 * stretch of one line. */

/* Opens the loaded file MAP for source_lines_read, and closes BEFORE, which
 * may be NULL, unless that is MAP, too.  Returns it for source_file_close,
 * which does nothing with NULL; or NULL without memory.  Not inside the hook;
 * one thread at a time. */
struct source_file *source_file_open(struct source_file *before,
                                     const struct link_map *map);
void source_file_close(struct source_file *file);

/* Returns the lines of the source file SOURCE in the unit of FILE that has
 * the address CODE, for source_lines_release.  Returns NULL if FILE is NULL,
 * has none, or cannot be read, or without memory.  Not inside the hook; one
 * thread at a time. */
struct source_lines *source_lines_read(const struct source_file *file,
                                       uintptr_t code, const char *source);

/* Returns LINES, which may be NULL, and counts one user more, who has to
 * release them, too. */
struct source_lines *source_lines_share(struct source_lines *lines);

/* Counts one user less of LINES, which may be NULL, and frees them after the
 * last.  Not inside the hook; if a function has them, no thread is. */
void source_lines_release(struct source_lines *lines);

/* Returns the line of the instruction at `address', from 1; 0: none.  LINES
 * is not NULL.  Inside the hook. */
uint32_t source_lines_at(const struct source_lines *lines, uintptr_t address);
