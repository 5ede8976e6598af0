/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Getting what is at a URL, such as the profile of a program that serves it.
 */

#ifndef MPROF_FETCH_H
#define MPROF_FETCH_H

#include "mprof.h"

#include <stddef.h>
#include <stdint.h>

enum { FETCH_MESSAGE_LENGTH = 512 };

/* What is at URL, of HTTP; where it has no path, at its /profile.  Sets
 * *LENGTH to how many bytes it is.  The caller frees it.  NULL: MESSAGE, of
 * FETCH_MESSAGE_LENGTH bytes, says why not. */
MPROF_API const uint8_t *mprof_fetch(const char *url, size_t *length,
                                     char *message);

#endif
