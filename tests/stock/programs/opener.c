/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * opener.c -- a C program that opens ECL for itself alone, when it runs.
 */
#include <dlfcn.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
  void *library = dlopen("libecl.so", RTLD_NOW | RTLD_LOCAL);
  void (*boot)(int, char **), (*shut_down)(void);
  void *(*cons)(void *, void *), *list = (void *)1;
  (void)argc;
  if (library == NULL)
    return 1;
  *(void **)&boot = dlsym(library, "cl_boot");
  *(void **)&shut_down = dlsym(library, "cl_shutdown");
  *(void **)&cons = dlsym(library, "ecl_cons");
  boot(1, argv);
  for (int i = 0; i < 1000; i++)
    list = cons((void *)1, list);
  puts(list != NULL ? "made" : "failed");
  shut_down();
  return 4;
}
