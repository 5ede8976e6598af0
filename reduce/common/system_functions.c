/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells ECL's own functions from the program's, by package and source file;
 * the names of ECL's source files are logical pathnames. */

#include "common/system_functions.h"

#include <stdint.h>
#include <string.h>

static const char *const system_packages[] = {
    "C",
    "CLOS",
    "ECL-CDB",
    "EXT",
    "FFI",
    "GRAY",
    "MP",
    "SI",
    "WALKER",
    "MPROF",
    "MPROF.BINDINGS",
    "MPROF.DATA",
};

/* What the names of ECL's source files begin with. */
static const char *const system_files[] = {"SRC:", "SYS:MPROF;"};

/* First words of a list that are no function's name. */
static const char *const kinds[] = {
    "FLET",   "LABELS", "LAMBDA",         "MACRO-FUNCTION",
    "METHOD", "SETF",   "TOP-LEVEL-FORM",
};

enum verdict { VERDICT_NONE, VERDICT_SYSTEM, VERDICT_OTHER };

static bool
is_one_of(const char *const *words, size_t count, const char *text,
          size_t length)
{
  for (size_t i = 0; i < count; i++)
    if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
      return true;
  return false;
}

bool
is_system_package(const char *text, size_t length)
{
  return is_one_of(system_packages,
                   sizeof system_packages / sizeof system_packages[0], text,
                   length);
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
  if (first &&
      is_one_of(kinds, sizeof kinds / sizeof kinds[0], text, token->length))
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
  static const char *const names[] = {
      "(LAMBDA :IN CLOS::COMBINE-METHOD-FUNCTIONS)",
      "(LAMBDA :IN CLOS::STANDARD-MAIN-EFFECTIVE-METHOD)",
      "(LAMBDA :IN CLOS::WRAPPED-METHOD-FUNCTION)",
      "CALL-NEXT-METHOD", /* compiled methods have it inline, or local: */
      "SI:APPLY-FROM-STACK-FRAME",
  };
  static const char local[] = "(FLET CALL-NEXT-METHOD :IN ";
  if (strncmp(name, local, sizeof local - 1) == 0)
    return true;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}
