/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stopping.c -- for gdb.sh: where it stops.
 */
long
stop_here(long n)
{
  return n + 1;
}
