/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_printer.h -- the names of Lisp's things as text, from nothing but what
 * is in memory: no locks, no printer variables, no user's print methods.
 *
 * Memory comes from the kernel alone.  All may run inside the hook; a printer
 * belongs to one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <ecl/ecl.h>

#include "image/arena.h"

/* What has a name.  A name that is a string is written as it is. */
enum lisp_named {
  NAMED_FUNCTION, /* its name is given; "(TOP-LEVEL-FORM)" for what is
                     evaluated and no function */
  NAMED_CLASS,    /* the class itself, or the name of a structure that has no
                     class */
  NAMED_THREAD    /* its name is given */
};

struct lisp_printer { /* all zero: empty */
  struct arena text;  /* the text so far; the owner releases it */
  size_t length;      /* bytes of it */
  bool failed; /* there was no memory for some of it */
};

/* Appends the name as PRIN1 writes it from a package that uses nothing,
 * symbols of COMMON-LISP bare and COMMON-LISP-USER as CL-USER:
 * "CL-USER::FOO", "(SETF PKG:BAR)", "(METHOD AREA (INTEGER))".  UTF-8,
 * without a zero byte at its end.  Without memory, sets `failed'. */
void lisp_printer_name(struct lisp_printer *, cl_object x,
                       enum lisp_named what);

/* Appends TEXT in the same way. */
void lisp_printer_text(struct lisp_printer *, const char *text);

/* Ends the text with a zero byte and begins an empty one.  Returns the text,
 * valid until something is appended, or NULL if memory ran out since the text
 * before. */
const char *lisp_printer_end(struct lisp_printer *);

/* ---- what is asked of objects here and elsewhere ---- */

/* Returns whether an object, which may be OBJNULL, is of that type. */
static inline bool
lisp_is_of(cl_object x, cl_type type)
{
  return x != OBJNULL && ecl_t_of(x) == type;
}

/* The entries of a hash table, without its lock.
 *
 * A thread that makes the table larger sets its size before there is a body
 * of that size, so only what the body has room for is read.  The entries are
 * those of one moment as long as the caller keeps them: the collector does
 * not take the body away meanwhile.  What is added then may be missed. */
struct table_entries {
  const struct ecl_hashtable_entry *at;
  cl_index count; /* entries; the key of an unused one is OBJNULL */
};

/* Returns the entries of TABLE; none if it is no hash table. */
static inline struct table_entries
table_entries(cl_object table)
{
  struct table_entries entries = {NULL, 0};
  if (table == OBJNULL || ECL_IMMEDIATE(table) || table->d.t != t_hashtable)
    return entries;
  entries.count = table->hash.size;
  entries.at = __atomic_load_n(&table->hash.data, __ATOMIC_ACQUIRE);
  const size_t bytes = entries.at == NULL ? 0 : GC_size(entries.at);
  if (entries.count > bytes / sizeof *entries.at)
    entries.count = bytes / sizeof *entries.at;
  return entries;
}

/* Returns whether `x' is a symbol of that name, in whatever package. */
bool lisp_is_named(cl_object x, const char *name);

/* Returns whether `class' is that of structures: its metaclass is
 * STRUCTURE-CLASS, or it is not a class but the name of a structure. */
bool lisp_printer_is_structure(cl_object class);
