/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file that code came from, a program or a library, with the file that
 * holds its debug information when that stands apart.
 *
 * Debug information is looked for by build id, in .build-id below each folder
 * of MPROF_DEBUG_PATH (/usr/lib/debug unless the environment has it), then by
 * the name that the file itself gives: beside it, in .debug beside it, and
 * below those folders.  It is taken only if it has the file's build id.
 * Nothing is fetched over a network.  Only regular files are opened.
 */

#ifndef MPROF_CODE_FILE_H
#define MPROF_CODE_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

enum code_file_outcome {
  CODE_FILE_GOOD,
  CODE_FILE_UNREADABLE, /* is not there, or is no ELF file */
  CODE_FILE_CHANGED     /* has another build id */
};

struct code_file {
  Dwfl *dwfl; /* owns all that follows */
  Dwfl_Module *module;
  Elf *elf;
};

/* Opens PATH, which must have BUILD_ID, in hexadecimal digits, or none when
 * that is "".  Release FILE when the outcome is good. */
enum code_file_outcome code_file_open(struct code_file *file,
                                      const char *path, const char *build_id);
void code_file_release(struct code_file *file);

/* Sets *ADDRESS to what the file calls the place that is OFFSET bytes into
 * it; false when that is not loaded. */
bool code_file_address(const struct code_file *file, uint64_t offset,
                       uint64_t *address);

/* Where a program begins. */
uint64_t code_file_entry(const struct code_file *file);

/* The debug information of FILE, NULL when there is none. */
Dwarf *code_file_debug_information(const struct code_file *file);

#endif
