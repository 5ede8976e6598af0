/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaking.c -- a library whose constructor leaks, by itself and by strdup.
 */
#include <stdlib.h>
#include <string.h>

void *volatile leaked;

static __attribute__((constructor)) void
begin(void)
{
  leaked = malloc(55);
  leaked = strdup("1234");
}
