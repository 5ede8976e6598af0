/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that stands still while it is searched, seen from outside: its
 * threads, its memory, its objects, and where it may have their addresses.
 */

#pragma once

#include "images/image_reader.h"
#include "leak_search/traced_registers.h"

#include <sys/types.h>

/* ---- threads: traced_threads.c ---- */

/* All threads of another process stand still, and it is known what their
 * registers hold.  They notice nothing: system calls in which they wait begin
 * again.
 *
 * For a process with one thread, whose children are none of those threads:
 * it waits for them.  If it ends, they go on.
 */

struct traced_thread {
  pid_t number;
  struct traced_call call; /* system call just before it was stopped */
  bool stands;             /* it is stopped, and its registers are read */
  int signal;              /* signal to deliver when it goes on; 0: none */
  struct user_regs_struct registers;
  uint64_t thread_pointer; /* address that thread-local variables are at */
};

struct traced_threads { /* all zero: none */
  struct traced_thread *threads;
  size_t count, capacity;
};

/* Stops all threads of PROCESS, and reads their registers.  Fails if that
 * cannot be done, or a thread has not stopped after five seconds.  Even then
 * traced_threads_resume is to be called: it lets them go on, and empties
 * TRACED. */
void traced_threads_stop(struct traced_threads *traced, pid_t process);
void traced_threads_resume(struct traced_threads *traced);

/* ---- memory: remote_memory.c ---- */

/* The memory of another process that it can write to and shares with no
 * other, as the kernel tells of it in /proc.  It is read in blocks, of which
 * the last ones are kept: at most a gigabyte.
 *
 * What was never touched has no pages, and is not read: there is nothing in
 * it, it may be larger than all memory, and to read it would give it pages.
 *
 * The process is stopped, or the map may be untrue.
 */

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

/* Reads the map of the process with that THREAD, into memory of the pool in
 * use.  Fails if it cannot be read, or if the file with the number INODE is
 * not mapped there: then it is another process. */
void remote_memory_open(struct remote_memory *memory, pid_t thread,
                        ino_t inode);

/* Copies SIZE bytes from any ADDRESS to TO.  Returns false if not all of them
 * can be read; remote_memory_load fails then. */
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

/* Returns the 8-byte word at ADDRESS; 0 if ADDRESS is no multiple of 8, or
 * not in a mapping, or its page was never touched. */
uint64_t remote_memory_word(struct remote_memory *memory, uint64_t address);

/* ---- objects ---- */

enum heap_object_state {
  OBJECT_UNSEEN,
  OBJECT_REACHED,
  OBJECT_LOST,           /* nothing that was lost leads to it either */
  OBJECT_LOST_INDIRECTLY /* something lost does */
};

struct heap_object {
  uint64_t address, bytes;
  uint32_t leaf;  /* number of its leaf; 0: it is in no figures */
  uint32_t next;  /* index + 1 of the next object to look into; 0: none */
  uint32_t outer; /* index + 1 of what a pool's object is in; 0: none, or it
                     is of no pool */
  enum heap_object_state state;
};

struct heap_objects {          /* all zero: none */
  struct heap_object *objects; /* by address; a pool's after what it is in */
  size_t count, capacity;
};

/* Returns the object that begins at ADDRESS or has it within, or NULL; of
 * those within one another the innermost.  An object of no bytes is found by
 * its address. */
struct heap_object *heap_objects_find(const struct heap_objects *heap,
                                      uint64_t address);

/* ---- the program ---- */

struct stopped_program {
  pid_t process;
  struct traced_threads threads;
  struct remote_memory memory;
  struct heap_objects heap;
  const struct image_search *search; /* what it asks for */
  struct c_counters counters;        /* that it counts in */

  /* of the search */
  uint64_t low, high; /* of all objects */
  uint32_t pending;   /* the first to be looked into; its number and 1 */
  uint32_t leader;    /* the lost object that led to them */
  bool roots;         /* these do */
};

/* Calls VISIT for each block of mapped memory from START to END that has
 * anything in it, with its ADDRESS.  BYTES are valid until VISIT returns, and
 * have whole pages, but for the first and last one. */
typedef void memory_visit_fn(struct stopped_program *program,
                             uint64_t address, const char *bytes,
                             size_t length);
void memory_visit(struct stopped_program *program, uint64_t start,
                  uint64_t end, memory_visit_fn *visit);

/* Returns the object that O, which a pool gave out, is in, or NULL. */
static inline struct heap_object *
heap_objects_outer(const struct heap_objects *heap,
                   const struct heap_object *o)
{
  return o->outer == 0 ? NULL : &heap->objects[o->outer - 1];
}

/* Fills the heap, which is empty, with all objects of PROGRAM.
 *
 * Nobody has a list of them: they are found by their headers (the monitor's
 * object_header.h), in all memory that the program can write to, and those
 * without one in their table (object_table.h).
 *
 * Cost: each word of that memory is looked at; 32 bytes an object.
 */
void heap_objects_list(struct stopped_program *program);

/* Notes which objects the words in the LENGTH bytes at BYTES lead to: of the
 * memory at ADDRESS, or with 0 of none, such as registers. */
memory_visit_fn objects_mark;

/* Marks what roots lead to: places where a program may have the addresses of
 * its objects, but for the objects themselves.  These are variables of the
 * program and its libraries, variables that each thread has of its own,
 * stacks, registers.  Fails if the libraries of the process cannot be found.
 *
 * What the program has from mmap is none, as in LeakSanitizer.  Nor is the
 * monitor's table of objects.
 */
void roots_mark(struct stopped_program *program);
