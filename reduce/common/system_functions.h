/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which functions are ECL's own, by the names that they show and the source
 * files that they come from; and the tokens of these names.
 *
 * The name of a Lisp function is what PRIN1 gives in a package that uses
 * nothing but for COMMON-LISP: a symbol, or a list of symbols, keywords,
 * lists, strings and numbers.  A token is what stands between blanks and
 * parentheses, with |...| and \ heeded; strings are not, so that one with a
 * blank is two tokens.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns whether the first LENGTH bytes of TEXT are one of WORDS, each of
 * which has a NUL behind it; an empty one ends them. */
static inline bool
words_have(const char *words, const char *text, size_t length)
{
  for (; *words != '\0'; words += strlen(words) + 1)
    if (strlen(words) == length && memcmp(words, text, length) == 0)
      return true;
  return false;
}

/* Returns whether a function is ECL's own, or mprof's: the source FILE (""
 * when not known) is theirs, as with (LAMBDA :IN (LOAD "FORMAT.LSP")); or
 * NAME, such as MAPCAR, SI:MAKE-VECTOR or (METHOD MAKE-INSTANCE (CLASS)), is
 * made of symbols of their packages alone; a bare symbol is one of
 * COMMON-LISP.  False for names without a symbol, such as (LAMBDA), and for
 * those of C functions. */
bool is_system_function(const char *name, const char *file);

/* Returns whether the first LENGTH bytes of TEXT are the name of one of the
 * packages. */
bool is_system_package(const char *text, size_t length);

/* Returns whether the function only passes its arguments on, to methods or to
 * what APPLY calls.  Shown, it would be one function from every generic
 * function to every method, and would tie the whole program into one cycle:
 * so it counts as one of the runtime, which reports hide. */
bool lisp_name_passes_on(const char *name);

struct lisp_token {
  size_t length;         /* bytes; 0 at the end and at parentheses */
  size_t package_length; /* bytes of the package's name; LENGTH: it has none;
                            0: a keyword */
  bool odd;              /* not as the symbols of COMMON-LISP are written */
};

/* Returns the token that TEXT starts with. */
struct lisp_token lisp_token_scan(const char *text);
