/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.c -- see lisp_name.h.
 */
#include "names/lisp_name.h"

#include <stdlib.h>

/* Printed twice, first to see how long it is. */
char *
lisp_name(cl_object x, enum lisp_named what)
{
  struct lisp_printer out = {0};
  do {
    out.room = out.length;
    out.length = 0;
    free(out.at);
    out.at = malloc(out.room + 1);
    if (out.at == NULL)
      return NULL;
    lisp_printer_name(&out, x, what);
  } while (out.length > out.room);
  lisp_printer_end(&out);
  return out.at;
}
