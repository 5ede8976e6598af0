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

/* Write the figures of now into an open file, which keeps what fails;
 * `objects' are those that are loaded.  The monitor's lock is held, and all
 * stripes are. */
void malloc_profile_write(struct gzip_file *file,
                          const struct code_objects *objects);

#endif
