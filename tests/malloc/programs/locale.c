/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * locale.c -- the first allocation of a program is in a constructor of a
 * library (-DLIBRARY), in a function that holds a lock of the C library.
 */
#include <dlfcn.h>
#include <locale.h>
#include <stddef.h>

#ifdef LIBRARY
static void __attribute__((constructor)) begin(void)
{
  newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
}
#else
int
main(void)
{
  return dlerror() != NULL || setlocale(LC_ALL, "C.UTF-8") == NULL ||
         newlocale(LC_ALL_MASK, "C.UTF-8", NULL) == NULL;
}
#endif
