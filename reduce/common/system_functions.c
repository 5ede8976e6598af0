/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells ECL's own functions from the program's, by package and source file;
 * the names of ECL's source files are logical pathnames. */

#include "common/system_functions.h"

#include <stdint.h>
#include <string.h>

static const char system_packages[] =
    "C\0CLOS\0ECL-CDB\0EXT\0FFI\0GRAY\0MP\0SI\0WALKER\0"
    "MPROF\0MPROF.BINDINGS\0MPROF.DATA\0";

/* What the names of ECL's source files begin with. */
static const char *const system_files[] = {"SRC:", "SYS:MPROF;"};

/* First words of a list that are no function's name. */
static const char kinds[] = "FLET\0LABELS\0LAMBDA\0MACRO-FUNCTION\0METHOD\0"
                            "SETF\0TOP-LEVEL-FORM\0";

enum verdict { VERDICT_NONE, VERDICT_SYSTEM, VERDICT_OTHER };

bool
is_system_package(const char *text, size_t length)
{
  return words_have(system_packages, text, length);
}

struct lisp_token
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

/* Returns what TOKEN, which starts at TEXT, says about the whole name; FIRST
 * when it is the first word of a list. */
static enum verdict
judge(const char *text, const struct lisp_token *token, bool first)
{
  if (token->package_length == 0) /* a keyword */
    return VERDICT_NONE;
  if (token->package_length < token->length)
    return is_system_package(text, token->package_length) ? VERDICT_SYSTEM
                                                          : VERDICT_OTHER;
  if (first && words_have(kinds, text, token->length))
    return VERDICT_NONE;
  return token->odd ? VERDICT_OTHER : VERDICT_SYSTEM;
}

bool
is_system_function(const char *name, const char *file)
{
  bool any = false;
  const char *text = name;
  for (size_t i = 0; i < sizeof system_files / sizeof system_files[0]; i++)
    if (strncmp(file, system_files[i], strlen(system_files[i])) == 0)
      return true;
  for (;;) {
    text += strspn(text, " ()");
    if (*text == '\0')
      return any;
    struct lisp_token token = lisp_token_scan(text);
    enum verdict verdict =
        judge(text, &token, text > name && text[-1] == '(');
    if (verdict == VERDICT_OTHER)
      return false;
    any = any || verdict == VERDICT_SYSTEM;
    text += token.length;
  }
}

bool
lisp_name_passes_on(const char *name)
{
  static const char names[] =
      "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)\0"
      "(LAMBDA :IN CLOS::STANDARD-MAIN-EFFECTIVE-METHOD)\0"
      "(LAMBDA :IN CLOS::WRAPPED-METHOD-FUNCTION)\0"
      "CALL-NEXT-METHOD\0" /* compiled methods have it inline, or local: */
      "SI:APPLY-FROM-STACK-FRAME\0";
  static const char local[] = "(FLET CALL-NEXT-METHOD :IN ";
  return strncmp(name, local, sizeof local - 1) == 0 ||
         words_have(names, name, strlen(name));
}
