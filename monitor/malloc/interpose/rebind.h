/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rebind.h -- all that look for the real allocator find this one.
 *
 * A library that is loaded with RTLD_DEEPBIND finds the functions of the C
 * library before those that are preloaded, and so does dlsym with the handle
 * of the C library.  Objects cross from there to the rest of the program and
 * back: all of it needs one allocator.  So the symbols of the real allocator
 * become those of this one, in the table of symbols that the dynamic linker
 * looks in (its copy in this process).
 *
 * What has an allocator of its own keeps it.
 */
#ifndef MPROF_REBIND_H
#define MPROF_REBIND_H

/* A function that this library stands in front of. */
struct interposed_function {
  const char *name;
  void *real; /* where the real one is kept, a variable; NULL in the last */
  void *own;  /* and the one in front of it */
};

/* Let the symbols of the real functions be those of our own, if all are in
 * one file: an allocator that leans on another one looks for that by these
 * names. Before anything but the dynamic linker runs, or under a lock.  Does
 * nothing where it cannot. */
void rebind_symbols(const struct interposed_function *functions);

/* The same for files that have bound the real functions already: in each that
 * is loaded, the slots where the dynamic linker has stored their addresses,
 * or will.  And back. */
void rebind_slots(const struct interposed_function *functions);
void rebind_back(const struct interposed_function *functions);

#endif
