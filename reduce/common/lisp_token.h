/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tokens of a Lisp function's name.
 *
 * A name is what PRIN1 gives in a package that uses nothing but for
 * COMMON-LISP: a symbol, or a list of symbols, keywords, lists, strings and
 * numbers.  A token is what stands between blanks and parentheses, with |...|
 * and \ heeded; strings are not, so that one with a blank is two tokens.
 */

#ifndef MPROF_LISP_TOKEN_H
#define MPROF_LISP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct lisp_token {
  size_t length;         /* in bytes; zero at the end and at parentheses */
  size_t package_length; /* LENGTH when there is no package, 0: a keyword */
  bool odd;              /* not as the symbols of COMMON-LISP are written */
};

/* The token that TEXT starts with. */
static inline struct lisp_token
lisp_token_scan(const char *text)
{
  struct lisp_token token = {.package_length = SIZE_MAX};
  bool bars = false;
  size_t i = 0;
  for (; text[i] != '\0' && (bars || strchr(" ()", text[i]) == NULL); i++) {
    if (text[i] == '|') {
      bars = !bars;
    } else if (text[i] == '\\' && text[i + 1] != '\0') {
      i++;
    } else if (text[i] == ':' && !bars && token.package_length == SIZE_MAX) {
      token.package_length = i;
    }
    if (strchr("|\\\"#[", text[i]) != NULL ||
        (text[i] >= 'a' && text[i] <= 'z'))
      token.odd = true;
  }
  token.length = i;
  if (token.package_length == SIZE_MAX)
    token.package_length = i;
  return token;
}

#endif
