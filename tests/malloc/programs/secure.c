/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * secure.c -- a program that is linked with the monitor, and may have rights
 * that its caller lacks: 5 objects of 10 bytes; and 3 of 20 for the profile
 * FILE, if it is given.  Prints whether it has such rights.
 *
 *     secure [FILE]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include <mprof_malloc.h>

static void *volatile kept[8];

int
main(int argc, char **argv)
{
  for (int i = 0; i < 5; i++)
    kept[i] = malloc(10);
  if (argc > 1)
    mprof_restart(argv[1]);
  for (int i = 5; argc > 1 && i < 8; i++)
    kept[i] = malloc(20);
  mprof_stop();
  puts(getauxval(AT_SECURE) == 0 ? "none" : "rights");
  return 0;
}
