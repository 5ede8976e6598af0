/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_file.h -- a file that stays open, for a process that will not be able
 * to open it: it changes its root, its user, or what system calls it has.
 *
 * The descriptor has a number that no program looks at, and is closed by
 * exec.  A program may close it all the same, and have another file there
 * then: each use first asks whether it is ours.  The file is locked (flock)
 * as long as it is open, and who would replace it can see that.
 */
#ifndef MPROF_KEPT_FILE_H
#define MPROF_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct kept_file {
  int descriptor; /* negative: none */
  dev_t device;
  ino_t inode;
};

/* The open file becomes this one. */
void kept_file_take(struct kept_file *kept, int descriptor);

/* Whether it is open still, and has a name. */
bool kept_file_is_there(const struct kept_file *kept);

/* Put `n' bytes in place of what is in it.  Where there is no room for them
 * that stays; where it cannot be written over, it is empty then.  Gives back
 * 0, or an errno value. */
int kept_file_replace(const struct kept_file *kept, const char *bytes,
                      size_t n);

/* Make the calls for that, and change nothing. */
void kept_file_try(const struct kept_file *kept);

void kept_file_close(struct kept_file *kept);

#endif
