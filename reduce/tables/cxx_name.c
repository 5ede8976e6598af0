/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names of C++ as a table has room for them: a string is std::string, and the
 * arguments of other templates, if they are long, are three dots.  Other
 * names stay as they are.
 */

#include "tables/table.h"

#include <ctype.h>
#include <string.h>

static const char operator_word[] = "operator";

enum { LONG_ARGUMENTS = 20 }; /* characters, with the brackets */

/* Returns where the brackets that open at TEXT are closed again: behind
 * that, or NULL. */
static const char *
brackets_end(const char *text)
{
  size_t depth = 0;
  for (; *text != '\0'; text++) {
    depth += *text == '<';
    depth -= *text == '>' && text[-1] != '-';
    if (depth == 0)
      return text + 1;
  }
  return NULL;
}

void
write_cxx_name(struct sink *sink, const char *name)
{
  static const char string[] =
      "std::__cxx11::basic_string<char, "
      "std::char_traits<char>, std::allocator<char> >";
  const size_t word = strlen(operator_word);
  for (const char *c = name; *c != '\0';) {
    const char *end =
        *c == '<' && c > name &&
                (isalnum((unsigned char)c[-1]) || c[-1] == '_') &&
                ((size_t)(c - name) < word ||
                 memcmp(c - word, operator_word, word) != 0)
            ? brackets_end(c)
            : NULL;
    if (strncmp(c, string, sizeof string - 1) == 0) {
      sink_text(sink, "std::string");
      c += sizeof string - 1;
    } else if (end != NULL && end - c > LONG_ARGUMENTS) {
      sink_text(sink, "<...>");
      c = end;
    } else {
      sink_bytes(sink, c++, 1);
    }
  }
}
