/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_name.c -- a printer for the few kinds of objects that name things:
 * symbols, strings, characters, fixnums and lists of these.  Anything else
 * (an EQL specializer may hold any object) shows its type in #<...>.
 *
 * Symbols are written for the standard readtable, as PRIN1 does and as
 * compiled files have the names of their functions: what the reader would
 * upcase or split is put between bars.
 */
#include "names/lisp_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/classify.h"
#include "threads/releases.h"

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

/* Between `quote's; as it is when that is 0. */
static void
put_string(struct text *out, cl_object string, unsigned quote)
{
  if (quote != 0)
    put(out, quote);
  for (cl_index i = 0; i < string->base_string.fillp; i++) {
    const ecl_character c = ecl_char(string, i);
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
    if (ecl_char(string, i) != (ecl_character)(unsigned char)text[i])
      return false;
  return true;
}

/* Would the reader take it for a number or for dots, or upcase or split it?
 * 12, -3, 1/2, 1.5 read as numbers; 1+ and 1- do not.  '#' is harmless after
 * the first character. */
static bool
needs_bars(cl_object name)
{
  const cl_index n = name->base_string.fillp;
  bool letters = false, digits = false, others = false;
  int first = 0, last = 0;
  for (cl_index i = 0; i < n; i++) {
    last = (int)ecl_char(name, i);
    if (i == 0)
      first = last;
    if (last >= 'A' && last <= 'Z')
      letters = true;
    else if (last >= '0' && last <= '9')
      digits = true;
    else if (last <= ' ' || last == 127 || ecl_lower_case_p(last) ||
             (last < 127 && strchr("\"'(),:;\\`|", last) != NULL) ||
             (last == '#' && i == 0))
      return true;
    else
      others |= last != '.';
  }
  if (letters || !digits)
    return !letters && !others;
  return last != '+' && last != '-' && strchr("0123456789-+.", first) != NULL;
}

static void
put_symbol_name(struct text *out, cl_object name)
{
  put_string(out, name, needs_bars(name) ? '|' : 0);
}

/* As ecl_find_symbol, which would look for interrupts that wait, and run them
 * here. */
static bool
is_external(cl_object symbol)
{
  const cl_object package = symbol->symbol.hpack;
  bool external;
  release_lock_packages();
  external = ecl_gethash_safe(symbol->symbol.name, package->pack.external,
                              OBJNULL) == symbol;
  release_unlock_packages();
  return external;
}

static void
put_symbol(struct text *out, cl_object symbol)
{
  const cl_object name = symbol->symbol.name, package = symbol->symbol.hpack;
  if (package == OBJNULL || Null(package) ||
      !ECL_STRINGP(package->pack.name)) {
    put_text(out, "#:");
  } else if (package == cl_core.keyword_package) {
    put(out, ':');
  } else if (package != cl_core.lisp_package) {
    if (equals(package->pack.name, "COMMON-LISP-USER"))
      put_text(out, "CL-USER");
    else
      put_symbol_name(out, package->pack.name);
    put_text(out, !out->roughly && is_external(symbol) ? ":" : "::");
  }
  put_symbol_name(out, name);
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
put_object(struct text *out, cl_object x, int depth)
{
  const cl_type type = ecl_t_of(x);
  char digits[24];
  if (type == t_fixnum) {
    snprintf(digits, sizeof digits, "%ld", (long)ecl_fixnum(x));
    put_text(out, digits);
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
put_name(struct text *out, cl_object x, enum lisp_named what)
{
  if (x == OBJNULL)
    put_text(out, "#<unbound>");
  else if (what == NAMED_FUNCTION && is_form(x))
    put_text(out, "(TOP-LEVEL-FORM)");
  else if (what == NAMED_CLASS && ecl_t_of(x) == t_instance)
    put_object(out, ECL_CLASS_NAME(x), 0);
  else if (what == NAMED_THREAD && ECL_STRINGP(x))
    put_string(out, x, 0);
  else
    put_object(out, x, 0);
}

/* Printed twice, first to see how long it is. */
char *
lisp_name(cl_object x, enum lisp_named what)
{
  struct text out = { .room = 0 };
  do {
    out.room = out.length;
    out.length = 0;
    free(out.at);
    out.at = malloc(out.room + 1);
    if (out.at == NULL)
      return NULL;
    put_name(&out, x, what);
  } while (out.length > out.room);
  out.at[out.length] = '\0';
  return out.at;
}

/* A name of more than 2 KB counts by its beginning. */
enum phase_role
lisp_name_role(cl_object name)
{
  char text[2048];
  struct text out = { .at = text, .room = sizeof text - 1, .roughly = true };
  put_name(&out, name, NAMED_FUNCTION);
  text[out.length < out.room ? out.length : out.room] = '\0';
  return phase_role_of(text, "", false);
}

bool
lisp_name_is_structure(cl_object clas)
{
  cl_object meta, name;
  if (clas == OBJNULL || ecl_t_of(clas) != t_instance)
    return clas != OBJNULL && ecl_t_of(clas) == t_symbol;
  meta = ECL_CLASS_OF(clas);
  if (meta == OBJNULL || ecl_t_of(meta) != t_instance)
    return false;
  name = ECL_CLASS_NAME(meta);
  return ecl_t_of(name) == t_symbol && !Null(name) &&
         equals(name->symbol.name, "STRUCTURE-CLASS");
}
