/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_printer.c -- a printer for the few kinds of objects that name things:
 * symbols, strings, characters, fixnums and lists of these.  Anything else
 * (an EQL specializer may hold any object) shows its type in #<...>.
 *
 * Symbols are written for the standard readtable, as PRIN1 does and as
 * compiled files have the names of their functions: what the reader would
 * upcase or split is put between bars. */
#include "lisp/names/lisp_printer.h"

#include <stdio.h>
#include <string.h>

#include "lisp/names/classify.h"

enum { MAX_DEPTH = 16, MAX_LENGTH = 64 };

static bool
is_string(cl_object x)
{
  return x != OBJNULL && ECL_STRINGP(x);
}

static unsigned
character_at(cl_object string, cl_index i)
{
  if (string->d.t == t_string)
    return (unsigned)string->string.self[i];
  return (unsigned char)string->base_string.self[i];
}

static bool
equals(cl_object string, const char *text)
{
  const cl_index n = strlen(text);
  if (!is_string(string) || string->base_string.fillp != n)
    return false;
  for (cl_index i = 0; i < n; i++)
    if (character_at(string, i) != (unsigned char)text[i])
      return false;
  return true;
}

bool
lisp_is_named(cl_object x, const char *name)
{
  return lisp_is_of(x, t_symbol) && equals(x->symbol.name, name);
}

static bool
is_symbol_of(cl_object x, const char *package, const char *name)
{
  return lisp_is_named(x, name) && lisp_is_of(x->symbol.hpack, t_package) &&
         equals(x->symbol.hpack->pack.name, package);
}

static void
put(struct lisp_printer *out, unsigned c)
{
  char *const at = arena_record(&out->text, out->length, 1);
  out->failed |= at == NULL;
  if (out->failed)
    return;
  *at = (char)c;
  out->length++;
}

void
lisp_printer_text(struct lisp_printer *out, const char *text)
{
  while (*text != '\0')
    put(out, (unsigned char)*text++);
}

/* Writes C in UTF-8, or a sign for what names cannot have: NUL, which would
 * end them, and halves of a surrogate pair. */
static void
put_character(struct lisp_printer *out, unsigned c)
{
  enum { SYMBOL_FOR_NULL = 0x2400, REPLACEMENT = 0xFFFD };
  static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
  c = c == 0 ? SYMBOL_FOR_NULL : c >> 11 == 0xD800 >> 11 ? REPLACEMENT : c;
  unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  put(out, first[more] | c >> (6 * more));
  while (more-- > 0)
    put(out, 0x80 | (c >> (6 * more) & 0x3F));
}

/* Writes the string between `quote's; as it is when that is 0. */
static void
put_string(struct lisp_printer *out, cl_object string, unsigned quote)
{
  if (quote != 0)
    put(out, quote);
  for (cl_index i = 0; i < string->base_string.fillp; i++) {
    const unsigned c = character_at(string, i);
    if (quote != 0 && (c == quote || c == '\\'))
      put(out, '\\');
    put_character(out, c);
  }
  if (quote != 0)
    put(out, quote);
}

/* Returns true if the reader would take the name for a number or for dots, or
 * upcase or split it.  12, -3, 1/2, 1.5 read as numbers; 1+ and 1- do not.
 * '#' is harmless after the first character. */
static bool
needs_bars(cl_object name)
{
  const cl_index n = name->base_string.fillp;
  bool letters = false, digits = false, others = false;
  int first = 0, last = 0;
  for (cl_index i = 0; i < n; i++) {
    last = (int)character_at(name, i);
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
put_symbol_name(struct lisp_printer *out, cl_object name)
{
  put_string(out, name, needs_bars(name) ? '|' : 0);
}

/* Returns whether its package has it in the table of external symbols,
 * whatever its name hashes to. */
static bool
is_external(cl_object symbol, cl_object package)
{
  const struct table_entries external = table_entries(package->pack.external);
  for (cl_index i = 0; i < external.count; i++)
    if (external.at[i].value == symbol)
      return true;
  return false;
}

static void
put_package(struct lisp_printer *out, cl_object symbol, cl_object package)
{
  const cl_object name = package->pack.name;
  if (equals(name, "KEYWORD")) {
    put(out, ':');
  } else if (!equals(name, "COMMON-LISP")) {
    if (equals(name, "COMMON-LISP-USER"))
      lisp_printer_text(out, "CL-USER");
    else
      put_symbol_name(out, name);
    lisp_printer_text(out, is_external(symbol, package) ? ":" : "::");
  }
}

static void
put_symbol(struct lisp_printer *out, cl_object symbol)
{
  const cl_object package = symbol->symbol.hpack;
  if (lisp_is_of(package, t_package) && is_string(package->pack.name))
    put_package(out, symbol, package);
  else
    lisp_printer_text(out, "#:");
  put_symbol_name(out, symbol->symbol.name);
}

static void put_object(struct lisp_printer *out, cl_object x, int depth);

static void
put_list(struct lisp_printer *out, cl_object x, int depth)
{
  int length = 0;
  put(out, '(');
  for (; ECL_CONSP(x); x = ECL_CONS_CDR(x)) {
    if (length > 0)
      put(out, ' ');
    if (depth >= MAX_DEPTH || length++ >= MAX_LENGTH) {
      lisp_printer_text(out, "...");
      x = ECL_NIL;
      break;
    }
    put_object(out, ECL_CONS_CAR(x), depth + 1);
  }
  if (!Null(x)) {
    lisp_printer_text(out, " . ");
    put_object(out, x, depth + 1);
  }
  put(out, ')');
}

/* Returns the name of the class; NIL for one that is still being made,
 * without slots. */
static cl_object
class_name(cl_object class)
{
  return class->instance.slots == NULL ? ECL_NIL : ECL_CLASS_NAME(class);
}

static void
put_type(struct lisp_printer *out, cl_object x, cl_type type, int depth)
{
  lisp_printer_text(out, "#<");
  if (type != t_instance)
    lisp_printer_text(out, classify_type_name((uint32_t)type));
  else if (depth < MAX_DEPTH && lisp_is_of(ECL_CLASS_OF(x), t_instance))
    put_object(out, class_name(ECL_CLASS_OF(x)), depth + 1);
  put(out, '>');
}

static void
put_object(struct lisp_printer *out, cl_object x, int depth)
{
  char digits[24];
  cl_type type;
  if (x == OBJNULL) {
    lisp_printer_text(out, "#<unbound>");
    return;
  }
  type = ecl_t_of(x);
  if (type == t_fixnum) {
    snprintf(digits, sizeof digits, "%ld", (long)ecl_fixnum(x));
    lisp_printer_text(out, digits);
  } else if (type == t_character) {
    lisp_printer_text(out, "#\\");
    put_character(out, (unsigned)ECL_CHAR_CODE(x));
  } else if (Null(x)) {
    lisp_printer_text(out, "NIL");
  } else if (type == t_list) {
    put_list(out, x, depth);
  } else if (type == t_symbol) {
    put_symbol(out, x);
  } else if (is_string(x)) {
    put_string(out, x, '"');
  } else {
    put_type(out, x, type, depth);
  }
}

/* Returns whether it is a form that is evaluated and not a function, which
 * the byte-code compiler calls SI::BYTECODES. */
static bool
is_form(cl_object name)
{
  return name != OBJNULL &&
         (Null(name) || is_symbol_of(name, "SI", "BYTECODES"));
}

void
lisp_printer_name(struct lisp_printer *out, cl_object x, enum lisp_named what)
{
  if (what == NAMED_FUNCTION && is_form(x))
    lisp_printer_text(out, "(TOP-LEVEL-FORM)");
  else if (what == NAMED_CLASS && lisp_is_of(x, t_instance))
    put_object(out, class_name(x), 0);
  else if (is_string(x))
    put_string(out, x, 0);
  else
    put_object(out, x, 0);
}

const char *
lisp_printer_end(struct lisp_printer *out)
{
  bool failed;
  put(out, '\0');
  failed = out->failed;
  out->length = 0;
  out->failed = false;
  return failed ? NULL : out->text.base;
}

bool
lisp_printer_is_structure(cl_object class)
{
  cl_object meta;
  if (!lisp_is_of(class, t_instance))
    return lisp_is_of(class, t_symbol);
  meta = ECL_CLASS_OF(class);
  return lisp_is_of(meta, t_instance) &&
         is_symbol_of(class_name(meta), "COMMON-LISP", "STRUCTURE-CLASS");
}
