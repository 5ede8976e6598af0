/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roots.h -- what holds objects and is held by nothing, and its names.
 *
 * A symbol holds its value, its function and its property list; a package its
 * tables; a class what is allocated in it and its methods; a file of code its
 * constants.  A binding holds the value that a symbol has in one thread.
 * These have the names that programmers know, so they come first: what can be
 * reached from them is theirs alone, whatever else refers to it.  The writable
 * data of shared objects, that of the runtime among them, holds what is left
 * then, and stacks hold what is left after that.  So a variable that happens
 * to be in use on some stack is still named.
 *
 * A stack is read from the stack pointer on, which the kernel tells of a
 * thread that is stopped.
 */
#ifndef MPROF_ROOTS_H
#define MPROF_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "lisp/holders/heap.h"

enum root_kind {
  ROOT_SYMBOL,
  ROOT_BINDING, /* of a symbol in a thread */
  ROOT_PACKAGE,
  ROOT_CLASS,
  ROOT_CODE,    /* a file of compiled code */
  ROOT_DATA,    /* the writable data of a shared object */
  ROOT_STACK,   /* of a thread, and what else it has of its own */
  ROOT_OTHER    /* what no other reaches: the collector knows of more roots */
};

/* In the order in which they take what they hold. */
enum root_level { LEVEL_NAMED, LEVEL_DATA, LEVEL_STACK, LEVEL_OTHER, LEVELS };

struct root {
  enum root_kind kind;
  uint32_t object;        /* its number in the heap */
  cl_object lisp;         /* symbol, package, class, codeblock, process */
  cl_object process;      /* of a binding */
  const char *file;       /* of data: the path of the shared object */
  const void *begin, *end; /* the words that it has; NULL: it is one of the
                              collector's objects */
};

struct roots { /* all zero: empty */
  struct arena roots; /* struct root, in the order of their objects but for
                         those which are the collector's */
  uint32_t count;
  struct heap *heap;  /* that they are in */
};

enum root_level root_level(const struct root *root);

static inline struct root *
roots_get(const struct roots *roots, uint32_t i)
{
  return (struct root *)roots->roots.base + i;
}

/* Find them all, and the references of those that are not the collector's
 * objects, which have theirs already.  The world is stopped; what is loaded was
 * looked at before (monitor_list_code). */
void roots_take(struct roots *roots, struct heap *heap);
void roots_read(struct roots *roots);

void roots_release(struct roots *roots);

#endif
