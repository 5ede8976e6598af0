/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_printer.h -- the names of Lisp's things as text, by nothing than what
 * is in memory: no locks, no printer variables, no user's print methods.
 *
 * All may run inside the hook. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <ecl/ecl.h>
#include <gc/gc.h>

#include "image/arena.h"

/* What has a name. */
enum lisp_named {
  NAMED_FUNCTION, /* its name is given; "(TOP-LEVEL-FORM)" for what is
                     evaluated and no function */
  NAMED_CLASS,    /* the class itself, or the name of a structure that has no
                     class */
  NAMED_THREAD    /* its name is given; a string as it is */
};

struct lisp_printer { /* all zero: empty */
  struct arena text;  /* to be released */
  size_t length;
  bool failed; /* there was no memory */
};

/* Appends the name as PRIN1 writes it from a package that uses nothing,
 * symbols of COMMON-LISP bare and COMMON-LISP-USER as CL-USER:
 * "CL-USER::FOO", "(SETF PKG:BAR)", "(METHOD AREA (INTEGER))".  UTF-8; no
 * zero byte comes after it. */
void lisp_printer_name(struct lisp_printer *, cl_object x,
                       enum lisp_named what);

void lisp_printer_text(struct lisp_printer *, const char *text);

/* Ends the text with a zero byte and begins another.  Returns the text, valid
 * until something is appended; NULL without memory. */
const char *lisp_printer_end(struct lisp_printer *);

/* ---- what is asked of objects here and elsewhere ---- */

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
  cl_index count; /* some have no key: OBJNULL */
};

/* Returns those of TABLE; none if it is no hash table. */
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

/* Returns whether it is a symbol of that name, in whatever package. */
bool lisp_is_named(cl_object x, const char *name);

/* Returns whether a class describes structures (its metaclass is
 * STRUCTURE-CLASS, or it is a bare name). */
bool lisp_printer_is_structure(cl_object class);
