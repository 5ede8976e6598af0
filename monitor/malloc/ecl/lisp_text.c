/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_text.c -- see lisp_text.h, and names/lisp_name.c for the rules.
 */
#include "malloc/ecl/lisp_text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_LENGTH = 64 };

struct text {
  char *at;
  size_t length;
};

static void
put(struct text *out, unsigned c)
{
  if (out->length < LISP_TEXT_BYTES - 1)
    out->at[out->length++] = (char)c;
}

static void
put_text(struct text *out, const char *text)
{
  while (*text != '\0')
    put(out, (unsigned char)*text++);
}

/* In UTF-8. */
static void
put_character(struct text *out, unsigned c)
{
  static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
  unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  put(out, first[more] | c >> (6 * more));
  while (more-- > 0)
    put(out, 0x80 | (c >> (6 * more) & 0x3F));
}

static bool
is_string(cl_object x)
{
  return x != OBJNULL && ECL_STRINGP(x);
}

static unsigned
character_at(cl_object string, cl_index i)
{
#ifdef ECL_UNICODE
  if (string->d.t == t_string)
    return (unsigned)string->string.self[i];
#endif
  return (unsigned char)string->base_string.self[i];
}

static void
put_string(struct text *out, cl_object string, unsigned quote)
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

/* Beyond ASCII no letter is taken for a small one. */
static bool
needs_bars(cl_object name)
{
  const cl_index n = name->base_string.fillp;
  bool letters = false, digits = false, others = false;
  unsigned first = 0, last = 0;
  for (cl_index i = 0; i < n; i++) {
    last = character_at(name, i);
    if (i == 0)
      first = last;
    if (last >= 'A' && last <= 'Z')
      letters = true;
    else if (last >= '0' && last <= '9')
      digits = true;
    else if (last <= ' ' || last == 127 || (last >= 'a' && last <= 'z') ||
             (last < 127 && strchr("\"'(),:;\\`|", (int)last) != NULL) ||
             (last == '#' && i == 0))
      return true;
    else
      others |= last != '.';
  }
  if (letters || !digits)
    return !letters && !others;
  return last != '+' && last != '-' &&
         strchr("0123456789-+.", (int)first) != NULL;
}

static void
put_symbol_name(struct text *out, cl_object name)
{
  put_string(out, name, needs_bars(name) ? '|' : 0);
}

/* Its package has it in this table, whatever its name hashes to. */
static bool
is_external(cl_object symbol, cl_object package)
{
  const cl_object table = package->pack.external;
  if (table == OBJNULL || ECL_IMMEDIATE(table) ||
      table->d.t != t_hashtable || table->hash.data == NULL)
    return false;
  for (cl_index i = 0; i < table->hash.size; i++)
    if (table->hash.data[i].value == symbol)
      return true;
  return false;
}

static void
put_symbol(struct text *out, cl_object symbol)
{
  const cl_object name = symbol->symbol.name, package = symbol->symbol.hpack;
  if (!is_string(name)) {
    put_text(out, "#<unbound>");
    return;
  }
  if (package == OBJNULL || Null(package) || ECL_IMMEDIATE(package) ||
      package->d.t != t_package || !is_string(package->pack.name)) {
    put_text(out, "#:");
  } else if (equals(package->pack.name, "KEYWORD")) {
    put(out, ':');
  } else if (!equals(package->pack.name, "COMMON-LISP")) {
    if (equals(package->pack.name, "COMMON-LISP-USER"))
      put_text(out, "CL-USER");
    else
      put_symbol_name(out, package->pack.name);
    put_text(out, is_external(symbol, package) ? ":" : "::");
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

static cl_object
class_name(cl_object class)
{
  return class->instance.slots == NULL ? ECL_NIL : ECL_CLASS_NAME(class);
}

static void
put_object(struct text *out, cl_object x, int depth)
{
  char digits[24];
  if (x == OBJNULL) {
    put_text(out, "#<unbound>");
  } else if (ECL_FIXNUMP(x)) {
    snprintf(digits, sizeof digits, "%ld", (long)ecl_fixnum(x));
    put_text(out, digits);
  } else if (ECL_CHARACTERP(x)) {
    put_text(out, "#\\");
    put_character(out, (unsigned)ECL_CHAR_CODE(x));
  } else if (Null(x)) {
    put_text(out, "NIL");
  } else if (ECL_CONSP(x)) {
    put_list(out, x, depth);
  } else if (x->d.t == t_symbol) {
    put_symbol(out, x);
  } else if (is_string(x)) {
    put_string(out, x, '"');
  } else {
    put_text(out, "#<");
    if (x->d.t == t_instance && depth < MAX_DEPTH &&
        ECL_CLASS_OF(x) != OBJNULL && ECL_CLASS_OF(x) != x)
      put_object(out, class_name(ECL_CLASS_OF(x)), depth + 1);
    put(out, '>');
  }
}

/* A form that is evaluated and not a function is called SI::BYTECODES by the
 * byte-code compiler. */
static bool
is_form(cl_object name)
{
  return (!ECL_IMMEDIATE(name) && name->d.t == t_symbol &&
          equals(name->symbol.name, "BYTECODES") &&
          !Null(name->symbol.hpack) && name->symbol.hpack != OBJNULL &&
          equals(name->symbol.hpack->pack.name, "SI"));
}

void
lisp_text_function(char text[LISP_TEXT_BYTES], cl_object name)
{
  struct text out = {.at = text};
  if (name != OBJNULL && Null(name))
    put_text(&out, "(LAMBDA)");
  else if (name != OBJNULL && is_form(name))
    put_text(&out, "(TOP-LEVEL-FORM)");
  else
    put_object(&out, name, 0);
  text[out.length] = '\0';
}

void
lisp_text_class(char text[LISP_TEXT_BYTES], cl_object class)
{
  struct text out = {.at = text};
  if (!ECL_IMMEDIATE(class) && class->d.t == t_instance)
    put_object(&out, class_name(class), 0);
  else
    put_object(&out, class, 0);
  text[out.length] = '\0';
}

bool
lisp_text_is_structure(cl_object class)
{
  cl_object meta, name;
  if (class == OBJNULL || ECL_IMMEDIATE(class))
    return false;
  if (class->d.t != t_instance)
    return class->d.t == t_symbol;
  meta = ECL_CLASS_OF(class);
  if (meta == OBJNULL || ECL_IMMEDIATE(meta) || meta->d.t != t_instance)
    return false;
  name = class_name(meta);
  return !Null(name) && !ECL_IMMEDIATE(name) && name->d.t == t_symbol &&
         equals(name->symbol.name, "STRUCTURE-CLASS");
}
