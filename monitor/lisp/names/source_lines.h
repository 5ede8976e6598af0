/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * source_lines.h -- which line of Lisp source a place in compiled code comes
 * from.
 *
 * Model.  The patched compiler says it to the C compiler, which writes it
 * into the debugging information.  That of a compiled file is read when its
 * functions are noted, for the file may be gone later (COMPILE, a file that
 * is compiled again), and is kept as long as the code: eight bytes for each
 * stretch of one line.
 */
#ifndef MPROF_SOURCE_LINES_H
#define MPROF_SOURCE_LINES_H

#include <stdint.h>

#include <link.h>

struct source_lines;

/* The lines of `source' in what was compiled from it, which is a part of
 * `file' and has the address `code' in it; NULL: it has none, or there is no
 * memory.  Not inside the hook; one thread at a time. */
const struct source_lines *source_lines_read(const struct link_map *file,
                                             uintptr_t code,
                                             const char *source);

/* The line of the instruction at that address; 0: of none.  Inside the hook.
 */
uint32_t source_lines_at(const struct source_lines *lines, uintptr_t address);

/* The code from `start' to `end' goes away, and its lines with it.  Not
 * inside the hook, nor while another thread is. */
void source_lines_retire(uintptr_t start, uintptr_t end);

#endif
