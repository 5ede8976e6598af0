/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * loaded.c -- a library that is loaded and unloaded.  NAME names its function,
 * so that two of them have their code at the same place.
 */
#include <stdlib.h>

void *
NAME(size_t bytes)
{
  void *volatile p = malloc(bytes);
  return p;
}
