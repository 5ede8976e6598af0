/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.c -- a printer for the few kinds of objects that name things:
 * symbols, strings, characters, fixnums and lists of these.  Anything else
 * (an EQL specializer may hold any object) shows its type in #<...>.
 *
 * Symbols are written for the standard readtable: upper case needs no
 * escape, all else is put between bars.
 */
#include "names/lisp_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/classify.h"

enum { MAX_DEPTH = 16, MAX_LENGTH = 64 };

/* Where the text goes, as far as there is room for it. */
struct text {
  char *at;
  size_t room, length;
  bool roughly; /* all symbols as internal ones: that takes no lock */
};

static void
put(struct text *out, unsigned c)
{
  if (out->length < out->room)
    out->at[out->length] = (char)c;
  out->length++;
}

static void
put_text(struct text *out, const char *text)
{
  while (*text != '\0')
    put(out, (unsigned char)*text++);
}

/* In UTF-8. */
static void
put_character(struct text *out, ecl_character character)
{
  static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
  const unsigned c = (unsigned)character;
  unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  put(out, first[more] | c >> (6 * more));
  while (more-- > 0)
    put(out, 0x80 | (c >> (6 * more) & 0x3F));
}

static ecl_character
string_ref(cl_object string, cl_index i)
{
#ifdef ECL_UNICODE
  if (ecl_t_of(string) == t_string)
    return string->string.self[i];
#endif
  return string->base_string.self[i];
}

/* Between `quote's; as it is when that is 0. */
static void
put_string(struct text *out, cl_object string, unsigned quote)
{
  if (quote != 0)
    put(out, quote);
  for (cl_index i = 0; i < string->base_string.fillp; i++) {
    const ecl_character c = string_ref(string, i);
    if (quote != 0 && (c == (ecl_character)quote || c == '\\'))
      put(out, '\\');
    put_character(out, c);
  }
  if (quote != 0)
    put(out, quote);
}

static bool
equals(cl_object string, const char *text)
{
  const cl_index n = strlen(text);
  if (!ECL_STRINGP(string) || string->base_string.fillp != n)
    return false;
  for (cl_index i = 0; i < n; i++)
    if (string_ref(string, i) != (ecl_character)(unsigned char)text[i])
      return false;
  return true;
}

static bool
is_digit(ecl_character c)
{
  return c >= '0' && c <= '9';
}

/* Would the reader take it for a number or for dots, or upcase or split it?
 * 12, -3, 1/2, 1.5 read as numbers; 1+ and 1- do not.  '#' is harmless after
 * the first character. */
static bool
needs_bars(cl_object name)
{
  const cl_index n = name->base_string.fillp;
  bool letters = false, digits = false, others = false;
  ecl_character first = 0, last = 0;
  for (cl_index i = 0; i < n; i++) {
    const ecl_character c = last = string_ref(name, i);
    first = i == 0 ? c : first;
    if (c <= ' ' || c >= 127 || (c >= 'a' && c <= 'z') ||
        strchr("\"'(),:;\\`|", (int)c) != NULL || (c == '#' && i == 0))
      return true;
    letters |= c >= 'A' && c <= 'Z';
    digits |= is_digit(c);
    others |= c != '.' && !(c >= 'A' && c <= 'Z') && !is_digit(c);
  }
  if (letters || !digits)
    return !letters && !others;
  return last != '+' && last != '-' &&
         (is_digit(first) || strchr("-+.", (int)first) != NULL);
}

static void
put_symbol_name(struct text *out, cl_object name)
{
  put_string(out, name, needs_bars(name) ? '|' : 0);
}

/* "PKG:" or "PKG::". */
static void
put_package(struct text *out, cl_object symbol, cl_object package)
{
  int kind = ECL_INTERNAL;
  if (equals(package->pack.name, "COMMON-LISP-USER"))
    put_text(out, "CL-USER");
  else
    put_symbol_name(out, package->pack.name);
  if (!out->roughly &&
      ecl_find_symbol(symbol->symbol.name, package, &kind) != symbol)
    kind = ECL_INTERNAL;
  put_text(out, kind == ECL_EXTERNAL ? ":" : "::");
}

static void
put_symbol(struct text *out, cl_object symbol)
{
  const cl_object package = symbol->symbol.hpack;
  if (package == OBJNULL || Null(package) ||
      !ECL_STRINGP(package->pack.name))
    put_text(out, "#:");
  else if (package == cl_core.keyword_package)
    put(out, ':');
  else if (package != cl_core.lisp_package)
    put_package(out, symbol, package);
  put_symbol_name(out, symbol->symbol.name);
}

static void put_object(struct text *out, cl_object x, int depth);

static void
put_list(struct text *out, cl_object x, int depth)
{
  int length = 0;
  put(out, '(');
  for (; ECL_CONSP(x); x = ECL_CONS_CDR(x)) {
    if (length > 0)
      put(out, ' ');
    if (depth >= MAX_DEPTH || length++ >= MAX_LENGTH) {
      put_text(out, "...");
      x = ECL_NIL;
      break;
    }
    put_object(out, ECL_CONS_CAR(x), depth + 1);
  }
  if (!Null(x)) {
    put_text(out, " . ");
    put_object(out, x, depth + 1);
  }
  put(out, ')');
}

static void
put_fixnum(struct text *out, cl_fixnum number)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%ld", (long)number);
  put_text(out, digits);
}

static void
put_object(struct text *out, cl_object x, int depth)
{
  const cl_type type = ecl_t_of(x);
  if (type == t_fixnum) {
    put_fixnum(out, ecl_fixnum(x));
  } else if (type == t_character) {
    put_text(out, "#\\");
    put_character(out, (ecl_character)ECL_CHAR_CODE(x));
  } else if (Null(x)) {
    put_text(out, "NIL");
  } else if (type == t_list) {
    put_list(out, x, depth);
  } else if (type == t_symbol) {
    put_symbol(out, x);
  } else if (ECL_STRINGP(x)) {
    put_string(out, x, '"');
  } else {
    put_text(out, "#<");
    if (type != t_instance)
      put_text(out, classify_type_name((uint32_t)type));
    else if (ECL_CLASS_OF(x) != OBJNULL &&
             ecl_t_of(ECL_CLASS_OF(x)) == t_instance)
      put_object(out, ECL_CLASS_NAME(ECL_CLASS_OF(x)), depth + 1);
    put(out, '>');
  }
}

/* A form that is evaluated and not a function is called SI::BYTECODES by the
 * byte-code compiler. */
static bool
is_form(cl_object name)
{
  return Null(name) || (ecl_t_of(name) == t_symbol &&
                        name->symbol.hpack == cl_core.system_package &&
                        equals(name->symbol.name, "BYTECODES"));
}

static void
put_function(struct text *out, cl_object name)
{
  if (is_form(name))
    put_text(out, "(TOP-LEVEL-FORM)");
  else
    put_object(out, name, 0);
}

static void
put_class(struct text *out, cl_object name)
{
  put_object(out, name, 0);
}

static void
put_thread(struct text *out, cl_object name)
{
  if (ECL_STRINGP(name))
    put_string(out, name, 0);
  else
    put_object(out, name, 0);
}

/* First to see how long it is. */
static char *
printed(cl_object x, void (*print)(struct text *, cl_object))
{
  struct text out = { .room = 0 };
  if (x == OBJNULL)
    return strdup("#<unbound>");
  print(&out, x);
  out.room = out.length;
  out.length = 0;
  ...
}
