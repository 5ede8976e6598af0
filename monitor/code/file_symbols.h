/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * file_symbols.h -- the functions in the symbol table of an ELF file: the
 * full table where the file has one, else the dynamic one.
 *
 * Not inside the hook.
 */
#ifndef MPROF_FILE_SYMBOLS_H
#define MPROF_FILE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Call `found' for each: address, which is that in the file and `base', size
 * (0: not known), name (valid during the call).  A file that cannot be read
 * has none. */
void file_symbols_each(const char *path, uintptr_t base,
                       void (*found)(void *closure, uintptr_t address,
                                     size_t size, const char *name),
                       void *closure);

#endif
