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
  uintptr_t code;          /* where it begins, or an address in it; 0: it was
                              unloaded */
  uint64_t retired;        /* where it was then (SITE_RETIRED) */
  const char *name;        /* as people read it, UTF-8; NULL: not known */
  const char *file;        /* source, or NULL */
  int file_position;       /* in bytes, -1: not known */
  uint32_t in_tree;        /* its role and flags: context_tree_function_fn */
  int16_t word_at;         /* so far above the frame pointer is its frame
                              word; 0: it has none */
  struct source_lines *lines; /* of the file that it is in; NULL: they are not
                                 known */
  bool has_record;         /* of a frame word, of whatever use that is */
  bool is_noted;             /* see code_function_note */
  bool passes_on;          /* a function of CLOS that only calls a method */
  uint32_t next_unloaded;  /* whose number waits to be given again; 0: none */
};

/* Make room for the records.  Gives back 0, or -1 when memory ran out. */
int code_functions_open(void);

/* Returns the file that `address' was loaded from, or NULL.  Inside the hook.
 */
const struct link_map *code_file(uintptr_t address);

/* Returns the record with a number that was given out; for 0, an empty one.
 * Its address is its own for good.  Inside the hook. */
struct code_function *code_function_at(uint32_t number);

/* Return the number of the function that returns to `site', and of the one
 * that begins at `start'; 0 when there is no room, and for 0.  Inside the
 * hook. */
uint32_t code_function_of_site(uint64_t site);
uint32_t code_function_of_start(uintptr_t start);

/* Gives the function that begins at `start' this Lisp name and source file
 * (or NULL), which are copied; `lines', or NULL, tell where it was compiled
 * from.  Not inside the hook. */
void code_function_name(uintptr_t start, const char *name, const char *file,
                        int file_position, struct source_lines *lines);

/* Returns the place in its function of the call that returns to `ip'
 * (SITE_PLACE), with its line, and with its offset if the function has lines
 * or is none of ECL's, and `apart' says so; `ip' itself, if neither is known.
 * Inside the hook. */
uint64_t code_function_place(uintptr_t ip, bool apart);

/* Trees are going to have a function: note it for images, if it was not, and
 * again whenever its record has changed.  Inside the hook. */
void code_function_note(uint32_t number);
void code_function_changed(uint32_t number);

/* Notes where the functions of `gone' were, and does code_objects_retire.
 * Not inside the hook, nor while another thread is. */
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

/* Returns the lines of SOURCE in what was compiled from it, which is a part of
 * FILE and has the address CODE in it, to be released; NULL: it has none, or
 * there is no memory.  Not inside the hook; one thread at a time. */
struct source_lines *source_lines_read(const struct link_map *file,
                                       uintptr_t code, const char *source);

/* Returns LINES, which may be NULL, to be released once more. */
struct source_lines *source_lines_share(struct source_lines *lines);

/* Gives back memory that nobody else has.  Not inside the hook, nor while
 * another thread is, but for lines that no function has. */
void source_lines_release(struct source_lines *lines);

/* Returns the line of that instruction; 0: none.  Inside the hook. */
uint32_t source_lines_at(const struct source_lines *lines, uintptr_t address);
