/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * new_file.h -- files that the monitor makes in folders of the user's, under
 * names that others may guess.
 */
#ifndef MPROF_NEW_FILE_H
#define MPROF_NEW_FILE_H

#include <sys/types.h>

/* From now on files have the rights that the user's umask of now gives them,
 * or fewer, if the program takes more away; without it, those by the umask of
 * the moment. */
void new_file_keep_mask(void);

mode_t new_file_mode(void);

/* Make the file and open it for reading and writing; -1 with errno set where
 * there is something by that name, a symbolic link too. */
int new_file_open(const char *name);

#endif
