/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file_symbols.h -- what a loaded file defines for others, by name.
 *
 * Read in its own table (DT_GNU_HASH), without the dynamic linker: dladdr and
 * dlsym wait for a lock that a thread has while it runs the constructors of a
 * library.  Those may do anything, and wait for a thread that has a lock of
 * ours.
 *
 * Takes no lock and no memory.  The file is not unloaded meanwhile. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct file_symbols {
  const ElfW(Ehdr) * head;
  uintptr_t base; /* what is added to the addresses in it */
  ElfW(Sym) * table;
  const char *names;
  const uint32_t *hash; /* see file_symbols.c */
};

/* Finds the symbols of the file that has the address.  Returns false if it
 * has no such tables. */
bool file_symbols_of(const void *address, struct file_symbols *symbols);

/* Returns a symbol with that name that is at the address: the first, or the
 * next after `last' (NULL: none), as there may be several, of different
 * versions; NULL: there is no other. */
ElfW(Sym) * file_symbol(const struct file_symbols *symbols, const char *name,
                        uintptr_t address, const ElfW(Sym) * last);

/* Returns where the first file itself has what is at the address, in the
 * second file, by the same name; 0: nowhere. */
uintptr_t file_symbols_own(const struct file_symbols *first,
                           const struct file_symbols *second,
                           uintptr_t address);
