/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_profile.h -- the figures of a C program as a pprof profile.
 *
 * It is written without any help of the program's allocator or of libraries,
 * so it can be written from a signal handler after a crash.  So functions are
 * addresses in mapped files: `mprof run', and the reducer when it reads the
 * file, put names and lines to them.
 */
#ifndef MPROF_MALLOC_PROFILE_H
#define MPROF_MALLOC_PROFILE_H

struct gzip_file;
struct code_objects;
struct malloc_figures;

/* Write the figures into an open file, which keeps what fails; `objects' are
 * those that are loaded. */
void malloc_profile_write_figures(struct gzip_file *file,
                                  const struct code_objects *objects,
                                  const struct malloc_figures *figures);

/* The same with the figures of now.  All is locked. */
void malloc_profile_write(struct gzip_file *file,
                          const struct code_objects *objects);

#endif
