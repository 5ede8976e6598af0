/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names of C functions, from the symbols of the files that their code was
 * loaded from.  Each file is read once.
 */

#ifndef MPROF_RECOVER_C_NAMES_H
#define MPROF_RECOVER_C_NAMES_H

#include "base/names.h"
#include "recover/image_notes.h"

struct c_names { /* all zero: empty */
  struct names names;
  struct c_name_file *files; /* owned */
  size_t count, capacity;
};

/* The name of the function with ADDRESS in its code, which is in MODULE; ""
 * where the file has none, or is not there any more.  NULL when memory runs
 * out. */
const char *c_name(struct c_names *names, const struct note_module *module,
                   uint64_t address);

void c_names_release(struct c_names *names);

#endif
