/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file_symbols.h -- what a loaded file defines for others, by name.
 *
 * The file's own table (DT_GNU_HASH) is read, without the dynamic linker:
 * dladdr and dlsym wait for a lock that a thread holds while it runs the
 * constructors of a library.  Those may do anything, and wait for a thread
 * that has a lock of ours.
 *
 * Takes no lock and no memory.  The file is not unloaded meanwhile. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct file_symbols { /* all in the memory of the file */
  const ElfW(Ehdr) * head;
  uintptr_t base; /* what is added to the addresses in it */
  ElfW(Sym) * table;
  const char *names;
  const uint32_t *hash; /* see file_symbols.c */
};

/* Finds the symbols of the file that has the address.  Returns false if there
 * is no file, or it lacks one of the tables. */
bool file_symbols_of(const void *address, struct file_symbols *symbols);

/* Returns the first symbol with that name at that address, 0 for any, or with
 * `last' not NULL the next one after it: there may be several, of different
 * versions.  Returns NULL if there is no more. */
ElfW(Sym) * file_symbol(const struct file_symbols *symbols, const char *name,
                        uintptr_t address, const ElfW(Sym) * last);

/* Returns the address of a symbol of the first file whose name is that of a
 * symbol at `address' in the second file; 0 if there is none. */
uintptr_t file_symbols_own(const struct file_symbols *first,
                           const struct file_symbols *second,
                           uintptr_t address);
