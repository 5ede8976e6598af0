/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of another process that it can write to and shares with no
 * other, as the kernel tells of it in /proc.  It is read in blocks, of which
 * the last ones are kept: at most a gigabyte.
 *
 * What was never touched has no pages, and is not read: there is nothing in
 * it, it may be larger than all memory, and to read it would give it pages.
 *
 * The process is stopped, or the map may be untrue.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
  uint64_t start, end; /* neighbours are one */
};

struct memory_block {
  uint64_t number; /* its address divided by its size, plus 1; 0: none */
  char *bytes;
};

struct remote_memory {
  pid_t thread; /* any thread of it: the first one may have ended */
  int pages;    /* descriptor of the file that tells which pages there are */
  uint64_t stack;           /* an address in the stack of the first thread */
  struct mapping *mappings; /* by address */
  size_t count, capacity;
  uint64_t *files; /* where files are mapped from their beginning, as those of
                      code are; by address */
  size_t file_count, file_capacity;
  struct memory_block *blocks; /* by number, modulo their count */
};

/* Reads the map of the process with that THREAD, which is to have the file
 * with the number INODE mapped.  Fails when the map cannot be read, or the
 * file is not in it. */
void remote_memory_open(struct remote_memory *memory, pid_t thread,
                        ino_t inode);

/* Copy SIZE bytes from any ADDRESS to TO.  If they cannot be read, the first
 * returns false, and the second fails. */
bool remote_memory_copy(const struct remote_memory *memory, uint64_t address,
                        void *to, size_t size);
void remote_memory_load(const struct remote_memory *memory, uint64_t address,
                        void *to, size_t size);

/* Returns the mapping with that address, or NULL. */
struct mapping *remote_memory_find(const struct remote_memory *memory,
                                   uint64_t address);

/* Returns the last address up to ADDRESS at which a file is mapped from its
 * beginning, or 0 if there is none. */
uint64_t remote_memory_file(const struct remote_memory *memory,
                            uint64_t address);

/* Returns the word at ADDRESS, a multiple of its size, or 0 if there is none.
 */
uint64_t remote_memory_word(struct remote_memory *memory, uint64_t address);

/* Calls VISIT for each block of mapped memory from START to END that has
 * anything in it, with CLOSURE and its ADDRESS.  BYTES are valid until VISIT
 * returns, and have whole pages, but for the first and last one. */
typedef void remote_visit_fn(void *closure, uint64_t address,
                             const char *bytes, size_t length);
void remote_memory_visit(struct remote_memory *memory, uint64_t start,
                         uint64_t end, remote_visit_fn *visit, void *closure);
